// Concurrent assertions: in simulation (RINGMILL_ASSERTIONS defined), nothing in synthesis.
//
// `RINGMILL_ASSERT(Name, property, clock, condition that disables it), without a semicolon.

`ifndef RINGMILL_ASSERTIONS_SVH
`define RINGMILL_ASSERTIONS_SVH

`ifdef RINGMILL_ASSERTIONS
`define RINGMILL_ASSERT(name, property_text, clock, off) \
  name : assert property (@(posedge clock) disable iff (off) property_text) \
  else $error("assertion fails: %s", `"name`");
`else
`define RINGMILL_ASSERT(name, property_text, clock, off)
`endif

`endif
