// The fields of comba_pkg's job as ports.

module comba_pkg_top
  import comba_pkg::*;
(
    input  logic               clk_i,
    input  job_t               job_i,
    output logic        [31:0] width_o,
    output logic [12:0] [31:0] fields_o
);

  assign width_o = $bits(job_t);
  assign fields_o = {
    job_i.second,
    job_i.first,
    job_i.product,
    job_i.quotient,
    job_i.high,
    job_i.sum,
    job_i.reciprocal,
    job_i.modulus,
    job_i.factors,
    job_i.elements,
    job_i.stride,
    32'(job_i.blocks),
    32'(job_i.terms)
  };

  logic unused;
  assign unused = clk_i;

endmodule
