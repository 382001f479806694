package dev.stagesim.engine.tf;

import dev.stagesim.engine.tf.graph.Ops;
import dev.stagesim.engine.tf.graph.WeightVariables;
import java.util.List;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.proto.DataType;
import org.tensorflow.types.TFloat32;

/** Measures the framework's rates on this machine with the job's threads: a large product and a long sum. */
final class Probe {
    private static final int SIDE = 1024;
    private static final int CHECKED = 2048;
    private static final int VALUES = 1 << 24;
    private static final int TIMES = 16;
    private static final int BYTES_PER_SUM = 12;

    private Probe() {}

    static void run(ConfigProto config, Lines lines) {
        Ops ops = new Ops();
        Output<?> a = ops.op("Fill", ops.ints(SIDE, SIDE), ops.number(0.5));
        WeightVariables weights = new WeightVariables(ops, 1);
        WeightVariables.Variable left = weights.make("left", false, new float[1], SIDE, SIDE);
        WeightVariables.Variable long1 = weights.make("long", false, new float[1], VALUES);
        Operation first = assign(ops, left, a);
        Operation second = assign(ops, long1, ops.op("Fill", ops.ints(VALUES), ops.number(0.5)));
        Output<?> matrix = weights.read(left);
        Output<?> row = weights.read(long1);
        Operation product = ops.op("MatMul", matrix, matrix).op();
        Operation sum = ops.add(row, row).op();
        try (Session session = new Session(ops.graph, config)) {
            session.runner().addTarget(first).addTarget(second).run().close();
            double flops = 2.0 * SIDE * SIDE * SIDE / best(session, product);
            double bytes = (double) VALUES * BYTES_PER_SUM / best(session, sum);
            lines.write("event", "probe", "flops_per_ns", flops, "bytes_per_ns", bytes);
        }
    }

    /** Verifies a large product by its exact sum, and reports the result. */
    static void check(ConfigProto config, Lines lines) {
        Ops ops = new Ops();
        WeightVariables.Variable halves =
                new WeightVariables(ops, 1).make("halves", false, new float[1], CHECKED, CHECKED);
        Operation first = assign(ops, halves, ops.op("Fill", ops.ints(CHECKED, CHECKED), ops.number(0.5)));
        Output<?> matrix = ops.op("ReadVariableOp", List.of(halves.handle), "dtype", DataType.DT_FLOAT);
        Output<?> sum = ops.sum(ops.sum(ops.op("MatMul", matrix, matrix), false, 0), false, 0);
        try (Session session = new Session(ops.graph, config)) {
            session.runner().addTarget(first).run().close();
            try (Result result = session.runner().fetch(sum.op().name()).run()) {
                double found = ((TFloat32) result.get(0)).getFloat();
                double expected = 0.25 * CHECKED * CHECKED * CHECKED;
                lines.write("event", "check", "checksum", found);
                if (found != expected) {
                    throw new IllegalStateException(
                            "a product of matrices is wrong: its sum is " + found + ", not " + expected);
                }
            }
        }
    }

    private static Operation assign(Ops ops, WeightVariables.Variable variable, Output<?> value) {
        return ops.add("AssignVariableOp", List.of(variable.handle, value), "dtype", DataType.DT_FLOAT);
    }

    private static long best(Session session, Operation operation) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < TIMES; i++) {
            long begin = System.nanoTime();
            session.runner().addTarget(operation).run().close();
            best = Math.min(best, System.nanoTime() - begin);
        }
        return best;
    }
}
