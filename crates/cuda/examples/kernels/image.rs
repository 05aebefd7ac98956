//! Reads facts about kernels, besides their code, from an image, which is an ELF file of 64 bits.

/// The head of the attribute with the most threads of a block, three numbers, in a kernel's section `.nv.info`.
const MOST_THREADS: [u8; 4] = [4, 5, 12, 0];

/// The number of threads in a block of a kernel, or `None` if the image does not tell.
pub fn threads(image: &[u8], entry: &str) -> Option<u32> {
    let attributes = section(image, &format!(".nv.info.{entry}"))?;
    let place = attributes
        .windows(4)
        .step_by(4)
        .position(|head| head == MOST_THREADS)?;
    let mut numbers = attributes.get(4 * place + 4..)?.chunks_exact(4).map(number);
    Some(numbers.next()? * numbers.next()? * numbers.next()?)
}

fn number(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// The content of a section.
fn section<'a>(image: &'a [u8], name: &str) -> Option<&'a [u8]> {
    // The lower half of an offset is enough in a file of a few megabytes.
    let at = |place: usize| image.get(place..place + 4).map(|bytes| number(bytes) as usize);
    let short = |place: usize| image.get(place..place + 2).map(|bytes| number(bytes) as usize);
    let (heads, count, names) = (at(0x28)?, short(0x3c)?, short(0x3e)?);
    let content = |head: usize| image.get(at(head + 0x18)?..at(head + 0x18)? + at(head + 0x20)?);
    let names = content(heads + 64 * names)?;
    (0..count).map(|index| heads + 64 * index).find_map(|head| {
        let rest = names.get(at(head)?..)?;
        let is_it = rest.strip_prefix(name.as_bytes())?.first() == Some(&0);
        is_it.then(|| content(head)).flatten()
    })
}
