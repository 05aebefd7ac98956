//! Figures for people.

/// Seconds with three significant digits and a unit.
#[must_use]
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 100.0 => format!("{s:.0} s"),
        s if s >= 10.0 => format!("{s:.1} s"),
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 0.1 => format!("{:.0} ms", s * 1e3),
        s if s >= 0.01 => format!("{:.1} ms", s * 1e3),
        s if s >= 0.001 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.1} us", s * 1e6),
    }
}

/// Bytes with a unit.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 30 => format!("{:.2} GiB", b as f64 / f64::from(1 << 30)),
        b if b >= 1 << 20 => format!("{:.1} MiB", b as f64 / f64::from(1 << 20)),
        b if b >= 1 << 10 => format!("{:.1} KiB", b as f64 / 1024.0),
        b => format!("{b} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units() {
        assert_eq!(
            [seconds(123.4), seconds(1.234), seconds(0.0123), seconds(8.62e-5)],
            ["123 s", "1.23 s", "12.3 ms", "86.2 us"]
        );
        assert_eq!(
            [bytes(12), bytes(16384), bytes(3 << 30)],
            ["12 bytes", "16.0 KiB", "3.00 GiB"]
        );
    }
}
