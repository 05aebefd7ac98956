//! Frames around payloads, made as `docs/formats.md` says and not by the code that reads them.

use ringmill_format::FrameKind;
use sha2::{Digest, Sha256};

/// A frame of this payload in the newest version of its kind.
pub fn framed(kind: FrameKind, hash: &[u8; 32], payload: &[u8]) -> Vec<u8> {
    framed_as((kind.version(), kind.byte()), hash, payload)
}

/// A frame of any version and kind.
pub fn framed_as((version, kind): (u16, u8), hash: &[u8; 32], payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(payload.len() + 80);
    frame.extend(b"RMFV");
    frame.extend(version.to_le_bytes());
    frame.extend([kind, 0]);
    frame.extend(hash);
    frame.extend((payload.len() as u64).to_le_bytes());
    frame.extend(payload);
    let checksum = Sha256::digest(&frame);
    frame.extend(checksum);
    frame
}

/// The payload of a frame that is all of these bytes.
pub fn payload(frame: &[u8]) -> Vec<u8> {
    frame[48..frame.len() - 32].to_vec()
}

/// The hash of the parameters of this payload: that of the payload with an empty name.
pub fn parameters_hash(payload: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix([0, 0]);
    if let Some((length, rest)) = payload.split_first_chunk() {
        let name = usize::from(u16::from_le_bytes(*length));
        hash.update(rest.get(name..).unwrap_or(&[]));
    }
    hash.finalize().into()
}
