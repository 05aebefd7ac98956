// Multiplier of polynomials modulo x^n + 1 and q by one or two fixed operands (algorithm 7), for any q = 1 mod 2n of
// 22 to 32 bits.
//
//   link in -> input stage (psi^j) -> input memory -> butterflies <-> working memory
//   link out <- output stage (last pass, psi^-j / n) <- result memory <-'
//
// ntt_multiplier_pkg tells the schedule, ntt_registers the registers, ntt_input and ntt_output the packets. The input
// of a job, the computation of the one before and the output of that before go on at once: with enough units the link
// never waits. All tables (scales, factors, operands) come over the link.
//
// Parameters: N; Units; LinkWords, coefficients a beat; ResultBuffers, 2 or 4 (4: the computation of a job with two
// products overlaps the output of another one); Pipeline; styles of the memories.
// Ports: clk_i, rst_ni; axi_*: AXI4-Lite, 8 address bits; in_t*, out_t*: AXI4-Stream, 32 * LinkWords bits, word 0 in
// the low bits, canonical residues.
// Latency: job_latency(N, Units, Pipeline, products) from the first read to the last result of a job. At N = 1024 and
// Units = 64, for one product and for two: shallow 171 and 260 cycles; deep 392 and 592, with two jobs at a time.

`include "assertions.svh"

module ntt_multiplier
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
    parameter int unsigned LinkWords = 4,
    parameter int unsigned ResultBuffers = 4,
    parameter pipeline_e Pipeline = PipelineDeep,
    parameter ram_style_e CoefficientStyle = RamBlock,
    parameter ram_style_e FactorStyle = RamBlock,
    localparam int unsigned LinkWidth = WordWidth * LinkWords
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,

    input  logic                 axi_awvalid_i,
    output logic                 axi_awready_o,
    input  logic [7:0]           axi_awaddr_i,
    input  logic                 axi_wvalid_i,
    output logic                 axi_wready_o,
    input  logic [31:0]          axi_wdata_i,
    input  logic [3:0]           axi_wstrb_i,
    output logic                 axi_bvalid_o,
    input  logic                 axi_bready_i,
    output logic [1:0]           axi_bresp_o,
    input  logic                 axi_arvalid_i,
    output logic                 axi_arready_o,
    input  logic [7:0]           axi_araddr_i,
    output logic                 axi_rvalid_o,
    input  logic                 axi_rready_i,
    output logic [31:0]          axi_rdata_o,
    output logic [1:0]           axi_rresp_o,

    input  logic                 in_tvalid_i,
    output logic                 in_tready_o,
    input  logic [LinkWidth-1:0] in_tdata_i,
    input  logic                 in_tlast_i,

    output logic                 out_tvalid_o,
    input  logic                 out_tready_i,
    output logic [LinkWidth-1:0] out_tdata_o,
    output logic                 out_tlast_o
);

  localparam int unsigned Banks = 2 * Units;
  localparam int unsigned BeatWidth = $clog2(N / LinkWords);
  localparam int unsigned GroupWidth = index_width(Units / LinkWords);
  localparam int unsigned RegionWidth = $clog2(ResultBuffers);
  localparam int unsigned MemoryLatency = memory_latency(Pipeline);
  localparam int unsigned Threads = thread_count(N, Units, Pipeline);
  localparam int unsigned WorkWidth = $clog2(2 * Threads);

  // Registers.
  logic [WordWidth-1:0] modulus;
  mode_e mode;
  logic two_products;
  logic busy;
  logic length_error;
  logic computing;
  issue_t issue;
  issue_t done;

  // Events of each thread's job.
  logic [Threads-1:0] first;
  logic [Threads-1:0] issued;
  logic [Threads-1:0] finished;

  for (genvar i = 0; i < int'(Threads); i++) begin : gen_thread
    assign first[i] = issue.valid && issue.first && issue.thread == 1'(i);
    assign issued[i] = issue.valid && issue.last && issue.last_of_job && issue.thread == 1'(i);
    assign finished[i] = done.valid && done.last && done.last_of_job && done.thread == 1'(i);
  end

  ntt_registers #(
      .N(N),
      .Units(Units),
      .LinkWords(LinkWords),
      .Threads(Threads)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .axi_awvalid_i,
      .axi_awready_o,
      .axi_awaddr_i,
      .axi_wvalid_i,
      .axi_wready_o,
      .axi_wdata_i,
      .axi_wstrb_i,
      .axi_bvalid_o,
      .axi_bready_i,
      .axi_bresp_o,
      .axi_arvalid_i,
      .axi_arready_o,
      .axi_araddr_i,
      .axi_rvalid_o,
      .axi_rready_i,
      .axi_rdata_o,
      .axi_rresp_o,
      .modulus_o(modulus),
      .mode_o(mode),
      .double_o(two_products),
      .busy_i(busy),
      .length_error_i(length_error),
      .in_valid_i(in_tvalid_i),
      .in_ready_i(in_tready_o),
      .out_valid_i(out_tvalid_o),
      .out_ready_i(out_tready_i),
      .out_last_i(out_tlast_o),
      .first_i(first),
      .issued_i(issued),
      .done_i(finished),
      .computing_o(computing)
  );

  // Link in.
  logic in_valid;
  logic in_ready;
  logic [LinkWidth-1:0] in_data;
  logic in_last;

  stream_register #(
      .Width(LinkWidth + 1)
  ) u_in (
      .clk_i,
      .rst_ni,
      .valid_i(in_tvalid_i),
      .ready_o(in_tready_o),
      .data_i({in_tlast_i, in_tdata_i}),
      .valid_o(in_valid),
      .ready_i(in_ready),
      .data_o({in_last, in_data})
  );

  logic [1:0] input_full;
  logic [1:0] input_double;
  logic [1:0] input_free;
  logic [Banks-1:0] input_write;
  logic input_region;
  logic [AddressWidth-1:0] input_base;
  logic [Banks-1:0][WordWidth-1:0] input_data;
  logic output_scale_write;
  logic [BeatWidth-1:0] load_beat;
  logic [LinkWords-1:0][WordWidth-1:0] load_data;
  logic factor_write;
  logic [FactorAddressWidth-1:0] factor_address;
  logic [GroupWidth-1:0] factor_group;
  logic input_busy;

  ntt_input #(
      .N(N),
      .Units(Units),
      .LinkWords(LinkWords),
      .Pipeline(Pipeline)
  ) u_input (
      .clk_i,
      .rst_ni,
      .mode_i(mode),
      .double_i(two_products),
      .modulus_i(modulus),
      .valid_i(in_valid),
      .ready_o(in_ready),
      .data_i(in_data),
      .last_i(in_last),
      .full_o(input_full),
      .double_o(input_double),
      .free_i(input_free),
      .write_o(input_write),
      .write_region_o(input_region),
      .write_base_o(input_base),
      .write_data_o(input_data),
      .output_scale_o(output_scale_write),
      .load_beat_o(load_beat),
      .load_data_o(load_data),
      .factor_o(factor_write),
      .factor_address_o(factor_address),
      .factor_group_o(factor_group),
      .error_o(length_error),
      .busy_o(input_busy)
  );

  // Computation.
  logic result_free;
  logic active;

  ntt_sequencer #(
      .N(N),
      .Units(Units),
      .ResultBuffers(ResultBuffers),
      .Pipeline(Pipeline)
  ) u_sequencer (
      .clk_i,
      .rst_ni,
      .input_full_i(input_full),
      .input_double_i(input_double),
      .input_free_o(input_free),
      .result_free_i(result_free),
      .issue_o(issue),
      .active_o(active)
  );

  logic [Banks-1:0][WordWidth-1:0] input_word;
  logic [Banks-1:0][WordWidth-1:0] work_word;
  logic [Units-1:0][WordWidth-1:0] factor;
  logic [Banks-1:0] write;
  logic [Banks-1:0][WordWidth-1:0] result;

  coefficient_memory #(
      .N(N),
      .Units(Units),
      .Regions(2),
      .Style(CoefficientStyle),
      .OutputRegister(MemoryLatency == 2)
  ) u_input_memory (
      .clk_i,
      .read_i(issue.valid && issue.from_input),
      .read_region_i(issue.read_region[0]),
      .read_base_i(issue.base),
      .read_mask_i(issue.mask),
      .read_data_o(input_word),
      .write_i(input_write),
      .write_region_i(input_region),
      .write_base_i(input_base),
      .write_mask_i('0),
      .write_data_i(input_data)
  );

  coefficient_memory #(
      .N(N),
      .Units(Units),
      .Regions(2 * Threads),
      .Style(CoefficientStyle),
      .OutputRegister(MemoryLatency == 2)
  ) u_working_memory (
      .clk_i,
      .read_i(issue.valid && !issue.from_input),
      .read_region_i(issue.read_region[WorkWidth-1:0]),
      .read_base_i(issue.base),
      .read_mask_i(issue.mask),
      .read_data_o(work_word),
      .write_i(done.to_result ? '0 : write),
      .write_region_i(done.write_region[WorkWidth-1:0]),
      .write_base_i(done.base),
      .write_mask_i(done.mask),
      .write_data_i(result)
  );

  factor_memory #(
      .N(N),
      .Units(Units),
      .WriteWords(LinkWords),
      .Style(FactorStyle),
      .OutputRegister(MemoryLatency == 2)
  ) u_factors (
      .clk_i,
      .read_i(issue.valid),
      .read_address_i(issue.factor),
      .read_data_o(factor),
      .write_i(factor_write),
      .write_address_i(factor_address),
      .write_group_i(factor_group),
      .write_data_i(load_data)
  );

  // The slot whose words have been read.
  issue_t [MemoryLatency-1:0] issue_q;

  always_ff @(posedge clk_i) begin
    issue_q[0] <= issue;
    for (int unsigned i = 1; i < MemoryLatency; i++) issue_q[i] <= issue_q[i-1];
    if (!rst_ni) begin
      for (int unsigned i = 0; i < MemoryLatency; i++) issue_q[i].valid <= 1'b0;
    end
  end

  ntt_array #(
      .N(N),
      .Units(Units),
      .Pipeline(Pipeline)
  ) u_array (
      .clk_i,
      .rst_ni,
      .modulus_i(modulus),
      .issue_i(issue_q[MemoryLatency-1]),
      .input_i(input_word),
      .work_i(work_word),
      .factor_i(factor),
      .done_o(done),
      .write_o(write),
      .result_o(result)
  );

  // Link out.
  logic read;
  logic [RegionWidth-1:0] read_region;
  logic [AddressWidth-1:0] read_base;
  logic [AddressWidth-1:0] read_mask;
  logic [Banks-1:0][WordWidth-1:0] result_word;
  logic out_valid;
  logic out_ready;
  logic [LinkWords-1:0][WordWidth-1:0] out_data;
  logic out_last;
  logic output_busy;

  coefficient_memory #(
      .N(N),
      .Units(Units),
      .Regions(ResultBuffers),
      .Style(CoefficientStyle)
  ) u_result_memory (
      .clk_i,
      .read_i(read),
      .read_region_i(read_region),
      .read_base_i(read_base),
      .read_mask_i(read_mask),
      .read_data_o(result_word),
      .write_i(done.to_result ? write : '0),
      .write_region_i(done.write_region[RegionWidth-1:0]),
      .write_base_i(done.base),
      .write_mask_i(done.mask),
      .write_data_i(result)
  );

  ntt_output #(
      .N(N),
      .Units(Units),
      .LinkWords(LinkWords),
      .ResultBuffers(ResultBuffers),
      .Pipeline(Pipeline)
  ) u_output (
      .clk_i,
      .rst_ni,
      .modulus_i(modulus),
      .scale_write_i(output_scale_write),
      .scale_beat_i(load_beat),
      .scale_data_i(load_data),
      .done_i(done.valid && done.last),
      .done_region_i(done.write_region[RegionWidth-1:0]),
      .done_last_i(done.last_of_job),
      .read_o(read),
      .read_region_o(read_region),
      .read_base_o(read_base),
      .read_mask_o(read_mask),
      .read_data_i(result_word),
      .free_o(result_free),
      .valid_o(out_valid),
      .ready_i(out_ready),
      .data_o(out_data),
      .last_o(out_last),
      .busy_o(output_busy)
  );

  stream_register #(
      .Width(LinkWidth + 1)
  ) u_out (
      .clk_i,
      .rst_ni,
      .valid_i(out_valid),
      .ready_o(out_ready),
      .data_i({out_last, out_data}),
      .valid_o(out_tvalid_o),
      .ready_i(out_tready_i),
      .data_o({out_tlast_o, out_tdata_o})
  );

  assign busy = input_busy || active || issue.valid || computing || output_busy || out_tvalid_o;

  logic unused;
  assign unused = ^done;

endmodule
