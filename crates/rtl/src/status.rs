//! `Status` of `shim/clocked.h`: how a call into a simulation ended.

pub const DONE: i32 = 0;
pub const STUCK: i32 = 1;
pub const BAD_PACKET: i32 = 2;
pub const ASSERTION: i32 = 3;
pub const BAD_REGISTER: i32 = 4;
