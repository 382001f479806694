package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.Stream;
import dev.stagesim.sim.systolic.order.Tiling;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.TrafficSpan;

/**
 * DRAM writes of the output in the mode that calculates the bandwidth.
 *
 * <p>The loop takes one step per drain until a drain leaves the buffer in the same state as the previous drain, which
 * happens at the second or third. All further drains except the last are then added at once.
 */
final class CalcWrites {
    private final Stream stream;
    private final Tiling tiling;
    private final WriteBuffer buffer;

    private final boolean isShort;

    /**
     * @param isShort true if equal drains may be skipped; false if every drain is traced
     */
    CalcWrites(Stream stream, WriteBuffer buffer, boolean isShort) {
        this.stream = stream;
        this.tiling = stream.tiling;
        this.buffer = buffer;
        this.isShort = isShort;
    }

    TrafficSpan span() {
        long total = wordsBefore(tiling.folds());
        long done = 0;
        long step = 0;
        while (true) {
            long nth = Math.max(done + buffer.wordsToDrain(), firstAtOrAfter(buffer.drainEnd()));
            if (nth > total) {
                break;
            }
            boolean isUnchanged = buffer.addAndDrain(nth - done, cycleOf(nth)) && nth - done == step;
            step = nth - done;
            done = nth;
            long equalDrains = (total - done) / step - 1;
            if (isShort && isUnchanged && equalDrains > 0) {
                buffer.repeat(equalDrains, step);
                done += equalDrains * step;
            }
        }
        buffer.addRest(total - done);
        return buffer.finish(tiling.cycles() - 1);
    }

    private long wordsBefore(long fold) {
        int rowFolds = tiling.rowFolds();
        long column = fold / rowFolds;
        long row = fold % rowFolds;
        long across = Math.min(column * tiling.columns(), tiling.acrossColumns());
        long inColumn = column < tiling.columnFolds() ? tiling.usedColumns((int) column) : 0;
        if (tiling.dataflow() == Dataflow.OS) {
            return tiling.acrossRows() * across + Math.min(row * tiling.rows(), tiling.acrossRows()) * inColumn;
        }
        return tiling.time() * (rowFolds * across + row * inColumn);
    }

    private void goTo(long fold) {
        stream.fold((int) (fold % tiling.rowFolds()), (int) (fold / tiling.rowFolds()));
    }

    private long cycleOf(long nth) {
        long fold = foldOf(nth);
        goTo(fold);
        return fold * tiling.period() + stream.cycleOf(nth - wordsBefore(fold));
    }

    /** Returns the fold that writes the {@code nth} word, counted from 1. */
    private long foldOf(long nth) {
        int rowFolds = tiling.rowFolds();
        boolean isOutputStationary = tiling.dataflow() == Dataflow.OS;
        long perLane = isOutputStationary ? tiling.acrossRows() : (long) tiling.time() * rowFolds;
        long column = (nth - 1) / (perLane * tiling.columns());
        long inColumn = nth - 1 - column * perLane * tiling.columns();
        long perRowFold =
                (isOutputStationary ? tiling.rows() : (long) tiling.time()) * tiling.usedColumns((int) column);
        return column * rowFolds + inColumn / perRowFold;
    }

    /** Returns the number of the first word that is written at or after a cycle. */
    private long firstAtOrAfter(long cycle) {
        if (cycle <= 0) {
            return 1;
        }
        long fold = (cycle - 1) / tiling.period();
        if (fold >= tiling.folds()) {
            return Long.MAX_VALUE;
        }
        goTo(fold);
        return wordsBefore(fold) + stream.wordsThrough((int) ((cycle - 1) % tiling.period())) + 1;
    }
}
