//! Nothing but benchmarks; see `benches/`.
