//! Parameter files: whatever is read is either refused or written back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ringmill_fv::Parameters;

fuzz_target!(|data: &[u8]| {
    if let Ok(parameters) = Parameters::read(data) {
        let mut written = Vec::new();
        parameters.write(&mut written).expect("writing to memory");
        assert_eq!(written, data[..written.len()]);
    }
});
