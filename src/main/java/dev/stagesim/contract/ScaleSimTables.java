package dev.stagesim.contract;

import static dev.stagesim.contract.Column.float64;
import static dev.stagesim.contract.Column.int64;
import static dev.stagesim.contract.Column.string;

import java.util.List;

/** The tables of a systolic-array run. */
public final class ScaleSimTables {
    private static final String CYCLES = "cycles";
    private static final String WORDS = "words";
    private static final String PERCENT = "%";
    private static final String PICOJOULES = "pJ";

    /** Figures of every layer. */
    public static final TableSchema LAYERS = new TableSchema(
            "layers.csv",
            2,
            "Cycles, utilisation, traffic and energy of every layer, in the order of the topology.",
            List.of(
                    int64("layer_id", "", "Number of the layer, from 0.").atLeast(0),
                    string("name", "Name in the topology."),
                    int64("products", "", "Equal products of the layer; counts, cycles and energy are for all of them.")
                            .atLeast(1),
                    int64("macs", "", "Multiply-accumulates of the dense layer.")
                            .atLeast(0),
                    int64("total_cycles", CYCLES, "Duration of the layer.").atLeast(0),
                    int64("reference_cycles", CYCLES, "What SCALE-Sim reports for it: v3, or v2 with compat=v2.")
                            .atLeast(0),
                    int64("stall_cycles", CYCLES, "Cycles waited for memory.").atLeast(0),
                    float64("overall_utilization", PERCENT, "Useful work over all cycles."),
                    float64("mapping_efficiency", PERCENT, "Share of the array in use."),
                    float64("compute_utilization", PERCENT, "The same while operands stream."),
                    float64("sram_words", WORDS, "Words between array and on-chip memories."),
                    float64("dram_words", WORDS, "Words between on-chip memories and the outside."),
                    float64("mac_energy_pj", PICOJOULES, "Energy of the arithmetic."),
                    float64("sram_energy_pj", PICOJOULES, "Energy of the on-chip memories."),
                    float64("dram_energy_pj", PICOJOULES, "Energy of the outside memory.")),
            List.of(new RowInvariant.Increasing("layer_id")));

    /** Energy by action. */
    public static final TableSchema ENERGY = new TableSchema(
            "energy.csv",
            1,
            "Counts of actions times the energy of each, over all layers.",
            List.of(
                    string("component", "What acts: the array, or the memory of an operand."),
                    string("action", "What it does."),
                    float64("count", "", "How often; for memories, words of 8 bits.")
                            .atLeast(0),
                    float64("energy_pj", PICOJOULES, "Energy of one.").atLeast(0),
                    float64("total_pj", PICOJOULES, "Energy of all.").atLeast(0)),
            List.of());

    private ScaleSimTables() {}

    /** All of them. */
    public static List<TableSchema> all() {
        return List.of(LAYERS, ENERGY);
    }
}
