//! Lines as words.

/// The words of a line, and of those in which it goes on; at least one.
pub(super) struct Line<'a> {
    /// The number of its first line, from 1.
    pub(super) number: usize,
    pub(super) words: Vec<&'a str>,
}

/// The lines of a text that have words, without comments.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut numbered = (1..).zip(text.lines());
    let joined = std::iter::from_fn(move || {
        let (number, mut text) = numbered.next()?;
        let mut words = Vec::new();
        loop {
            let code = text.split('#').next().unwrap_or_default().trim_end();
            let continued = code.strip_suffix('\\');
            words.extend(continued.unwrap_or(code).split_ascii_whitespace());
            let Some((_, next)) = continued.and_then(|_| numbered.next()) else {
                break;
            };
            text = next;
        }
        Some(Line { number, words })
    });
    joined.filter(|line| !line.words.is_empty())
}
