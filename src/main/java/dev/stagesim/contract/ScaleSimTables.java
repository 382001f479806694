package dev.stagesim.contract;

/** The tables of a systolic-array run. */
public final class ScaleSimTables {
    public static final TableSchema LAYERS = TableSchema.of(
            """
            layers.csv 2 | Cycles, utilisation, traffic and energy of every layer, in the order of the topology.
            layer_id | int 0.. | Number of the layer, from 0.
            name | text | Name in the topology.
            products | int 1.. | Equal products of the layer; counts, cycles and energy are for all of them.
            macs | int 0.. | Multiply-accumulates of the dense layer.
            total_cycles | int cycles 0.. | Duration of the layer.
            reference_cycles | int cycles 0.. | What SCALE-Sim reports for it: v3, or v2 with compat=v2.
            stall_cycles | int cycles 0.. | Cycles waited for memory.
            overall_utilization | real % | Useful work over all cycles.
            mapping_efficiency | real % | Share of the array in use.
            compute_utilization | real % | The same while operands stream.
            sram_words | real words | Words between array and on-chip memories.
            dram_words | real words | Words between on-chip memories and the outside.
            mac_energy_pj | real pJ | Energy of the arithmetic.
            sram_energy_pj | real pJ | Energy of the on-chip memories.
            dram_energy_pj | real pJ | Energy of the outside memory.
            """,
            new RowInvariant.Increasing("layer_id"));

    public static final TableSchema ENERGY = TableSchema.of(
            """
            energy.csv 1 | Counts of actions times the energy of each, over all layers.
            component | text | What acts: the array, or the memory of an operand.
            action | text | What it does.
            count | real 0.. | How often; for memories, words of 8 bits.
            energy_pj | real pJ 0.. | Energy of one.
            total_pj | real pJ 0.. | Energy of all.
            """);

    private ScaleSimTables() {}
}
