package dev.stagesim.jmh;

import dev.stagesim.io.scalesim.TopologyReader;
import dev.stagesim.io.scalesim.TopologyRow;
import dev.stagesim.sim.systolic.SystolicArray;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.OperandMemory;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time of all rows of a shipped topology on a 128 x 128 array with 1 MB per operand and, in USER mode, 128 words per
 * cycle. Run from the product's home.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
@State(Scope.Benchmark)
public class SystolicBenchmark {
    private static final int SIDE = 128;

    @Param({"bert_large", "gpt3", "resnet50"})
    public String topology = "bert_large";

    @Param({"OS", "WS", "IS"})
    public Dataflow dataflow = Dataflow.WS;

    @Param({"CALC", "USER"})
    public MemoryMode mode = MemoryMode.CALC;

    private List<LayerShape> layers = List.of();
    private ArraySpec array = array(Dataflow.WS, MemoryMode.CALC);

    @Setup
    public void read() throws IOException {
        Path file = Path.of("configs", "scale_sim_files", topology + ".csv");
        layers = TopologyReader.rows(file, !topology.equals("resnet50"), ScaleSimCompat.NONE).stream()
                .map(TopologyRow::layer)
                .toList();
        array = array(dataflow, mode);
    }

    @Benchmark
    public long cycles() {
        long sum = 0;
        for (LayerShape layer : layers) {
            sum += SystolicArray.simulate(array, layer).totalCycles();
        }
        return sum;
    }

    private static ArraySpec array(Dataflow dataflow, MemoryMode mode) {
        OperandMemory memory = OperandMemory.plain(1024, 0, SIDE, 32);
        return new ArraySpec(SIDE, SIDE, dataflow, mode, memory, memory, memory, Optional.empty(), ScaleSimCompat.V2);
    }
}
