// Memory of polynomials: 2 * Units banks, each with Regions polynomials of T words.
//
// Both ports name one word in each bank: bank x is accessed at base XOR (mask AND x repeated every beta bits); see
// ntt_multiplier_pkg. So an address bit comes in two versions and each bank is wired to one: no logic a bank.
//
// Ports: clk_i; read_i, read_region_i, read_base_i, read_mask_i, read_data_o; write_i (one bit a bank),
// write_region_i, write_base_i, write_mask_i, write_data_i. Reads return what a bank held before this cycle.
// Latency: 1 + OutputRegister from read_i to read_data_o, which holds its value while read_i is 0.

module coefficient_memory
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
    parameter int unsigned Regions = 2,
    parameter ram_style_e Style = RamAuto,
    parameter bit OutputRegister = 1'b0,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned RegionWidth = index_width(Regions)
) (
    input  logic                            clk_i,
    input  logic                            read_i,
    input  logic [RegionWidth-1:0]          read_region_i,
    input  logic [AddressWidth-1:0]         read_base_i,
    input  logic [AddressWidth-1:0]         read_mask_i,
    output logic [Banks-1:0][WordWidth-1:0] read_data_o,
    input  logic [Banks-1:0]                write_i,
    input  logic [RegionWidth-1:0]          write_region_i,
    input  logic [AddressWidth-1:0]         write_base_i,
    input  logic [AddressWidth-1:0]         write_mask_i,
    input  logic [Banks-1:0][WordWidth-1:0] write_data_i
);

  localparam int unsigned BankBits = bank_bits(Units);
  localparam int unsigned SlotBits = slot_bits(N, Units);

  // Index 1: the version of the banks whose bit is 1.
  logic [1:0][AddressWidth-1:0] read_version;
  logic [1:0][AddressWidth-1:0] write_version;

  assign read_version = {read_base_i ^ read_mask_i, read_base_i};
  assign write_version = {write_base_i ^ write_mask_i, write_base_i};

  for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_bank
    logic [SlotBits-1:0] read_address;
    logic [SlotBits-1:0] write_address;
    for (genvar a = 0; a < int'(SlotBits); a++) begin : gen_address
      localparam bit Version = 1'(bank >> (a % int'(BankBits)));
      assign read_address[a] = read_version[Version][a];
      assign write_address[a] = write_version[Version][a];
    end
    ram_simple_dual #(
        .Width(WordWidth),
        .Depth(Regions << SlotBits),
        .Style(Style),
        .OutputRegister(OutputRegister)
    ) u_words (
        .clk_i,
        .write_i(write_i[bank]),
        .write_address_i({write_region_i, write_address}),
        .write_data_i(write_data_i[bank]),
        .read_i,
        .read_address_i({read_region_i, read_address}),
        .read_data_o(read_data_o[bank])
    );
  end

  logic unused;
  assign unused = ^{read_version, write_version};

  if (Regions < 2 || 1 << RegionWidth != Regions) begin : gen_check_regions
    $error("coefficient_memory: Regions must be a power of two, at least 2");
  end
  if (N < 4 * Units || 1 << $clog2(N) != N || 1 << $clog2(Units) != Units) begin : gen_check_size
    $error("coefficient_memory: N and Units must be powers of two, 4 * Units <= N");
  end

endmodule
