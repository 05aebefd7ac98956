use crate::{FormatError, FrameKind};

/// Numbers of other schemes are read and written like registered ones, and unregistered ones below them are refused.
#[test]
fn private_kinds_are_nobodys() {
    assert_eq!(FrameKind::private(127), None);
    let kind = FrameKind::private(200).unwrap();
    assert_eq!(FrameKind::try_from(200).unwrap(), kind);
    assert_eq!((kind.byte(), kind.version()), (200, 3));
    assert_eq!(kind.to_string(), "private content 200");
    assert!(FrameKind::registered().all(|known| known.byte() < FrameKind::FIRST_PRIVATE));
    for byte in [0, 27, 127] {
        assert!(matches!(FrameKind::try_from(byte), Err(FormatError::UnknownKind(found)) if found == byte));
    }
}
