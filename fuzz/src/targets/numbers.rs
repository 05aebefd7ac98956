//! Rows of numbers in text: what is read is within its bounds, and is read again from what is written of it.

use ringmill::TableFormat;
use ringmill::fuzzing::{number_rows, write_number_rows};

use crate::{Reader, Target, Verdict, refused};

pub static TARGET: Target = Target {
    name: "numbers",
    readers: &[
        Reader {
            name: "csv",
            read: |text| rows(text, TableFormat::Csv),
            seeds: || {
                vec![
                    b"1,2,3\n0\r\n 65536 , 9".to_vec(),
                    b"\xef\xbb\xbf7\n".to_vec(),
                    Vec::new(),
                ]
            },
        },
        Reader {
            name: "tsv",
            read: |text| rows(text, TableFormat::Tsv),
            seeds: || vec![b"1\t2\n 65536 \t 9\n".to_vec()],
        },
        Reader {
            name: "json",
            read: |text| rows(text, TableFormat::Json),
            seeds: || vec![b"[1,2,3]\n [0]\r\n[65536, 9]\n".to_vec(), b"[1e0, -0]".to_vec()],
        },
    ],
    words: &[
        "65536",
        "65537",
        "18446744073709551616",
        ",",
        "\t",
        "\n",
        "\r\n",
        "[",
        "]",
        "-",
        "+",
        "e",
        "0",
        "\u{feff}",
    ],
    longest: 2000,
    memory: 1 << 15,
};

/// The most numbers of a row, and the bound below which they are.
const BOUNDS: (usize, u64) = (8, 65537);

fn rows(text: &[u8], format: TableFormat) -> Verdict {
    let rows = number_rows(text, format, BOUNDS).map_err(refused)?;
    for row in &rows {
        assert!((1..=BOUNDS.0).contains(&row.len()) && row.iter().all(|number| *number < BOUNDS.1));
    }
    let written = write_number_rows(&rows, format).expect("a format of rows");
    assert_eq!(
        number_rows(&written, format, BOUNDS).expect("what was written"),
        rows
    );
    Ok(())
}
