pub fn run(_: &crate::arguments::BenchArguments) -> Result<(), crate::error::CliError> { Ok(()) }
