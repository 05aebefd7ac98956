//! Text that is typed: keys in hexadecimal digits, names of devices, types of columns.

use std::sync::LazyLock;

use ringmill::circuit::{Visibility, WireType};
use ringmill::platform::DeviceName;
use ringmill::{NamedCircuit, circuits, hex};
use ringmill_records::{PortShape, Schema};

use crate::{Reader, Target, Verdict, refused};

/// The circuits with keys, one of each form.
static CIPHERS: LazyLock<Vec<NamedCircuit>> = LazyLock::new(|| {
    let names = circuits::names().into_iter();
    let ciphers = names.filter(|name| name.starts_with("aes") || name.starts_with("simon"));
    let named = ciphers.map(|name| circuits::by_name(&name).expect("a name"));
    named.filter(|circuit| circuit.cipher().is_some()).collect()
});

pub static TARGET: Target = Target {
    name: "arguments",
    readers: &[
        Reader {
            name: "hex",
            read: |text| {
                let text = std::str::from_utf8(text).map_err(refused)?;
                let bytes = hex::parse::<4>(text)?;
                assert_eq!(hex::format(&*bytes), text.trim().to_lowercase());
                Ok(())
            },
            seeds: || vec![b" 00fFa19b\n".to_vec()],
        },
        Reader {
            name: "key",
            read: key,
            seeds: || (0..CIPHERS.len() as u8).map(key_seed).collect(),
        },
        Reader {
            name: "device",
            read: |text| {
                let text = std::str::from_utf8(text).map_err(refused)?;
                let name: DeviceName = text.parse()?;
                assert_eq!(name.to_string().parse(), Ok(name));
                Ok(())
            },
            seeds: || {
                ["cpu", "auto", "cuda:7", "rtl:ntt-multiplier"]
                    .map(|name| name.as_bytes().to_vec())
                    .to_vec()
            },
        },
        Reader {
            name: "columns",
            read: |text| {
                let text = std::str::from_utf8(text).map_err(refused)?;
                let types: Vec<&str> = text.lines().collect();
                let ports = [
                    PortShape::bits("a", 8),
                    PortShape::bits("b", 128),
                    PortShape::rows("c", 2, 3),
                ];
                Schema::new(&ports, &types).map_err(refused)?;
                Ok(())
            },
            seeds: || {
                ["a=i8\nb=hex", "a=bools", "", "b=u128\nc=hex"]
                    .map(|text| text.as_bytes().to_vec())
                    .to_vec()
            },
        },
    ],
    words: &[
        "cpu", "cuda", "cuda:", "emulated", "auto", "rtl:", "a=", "b=", "c=", "hex", "bools", "u8", "i128",
        "0x", "ﬀ",
    ],
    longest: 200,
    memory: 1 << 14,
};

/// The first byte chooses the cipher; the rest is its key.
fn key(input: &[u8]) -> Verdict {
    let (choice, key) = input.split_first().ok_or("nothing")?;
    let circuit = &CIPHERS[usize::from(*choice) % CIPHERS.len()];
    let cipher = circuit.cipher().expect("a cipher");
    let bytes = cipher.private_bytes(key)?;
    assert_eq!(key.len(), cipher.key_bytes);
    let ports = circuit.circuit().inputs().iter();
    let private = ports.filter(|port| port.visibility == Visibility::Private);
    let wanted = private.map(|port| match port.kind {
        WireType::Bit => port.wires.len().div_ceil(8),
        WireType::Row(bytes) => port.wires.len() * bytes,
    });
    assert_eq!(bytes.len(), wanted.sum::<usize>(), "{}", circuit.name());
    Ok(())
}

fn key_seed(choice: u8) -> Vec<u8> {
    let cipher = CIPHERS[usize::from(choice)].cipher().expect("a cipher");
    let mut input = vec![choice];
    input.extend((0..cipher.key_bytes).map(|i| i as u8));
    input
}
