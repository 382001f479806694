package dev.stagesim.io.bundle;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.gzip.OutputFile;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.card.ModelCard;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes the files of one model on one device in Vidur's layout. */
public final class BundleWriter {

    private final BundleLayout layout;
    private final ModelCard model;
    private final String device;
    private final String network;

    /**
     * Creates a writer for the bundle in {@code root}.
     *
     * @param device folder below {@code compute/}
     * @param network folder below {@code network/}
     */
    public BundleWriter(Path root, ModelCard model, String device, String network) {
        this.layout = new BundleLayout(root);
        this.model = model;
        this.device = device;
        this.network = network;
    }

    public void mlp(List<BundleRow.Mlp> rows) throws IOException {
        write(layout.mlp(device, PathPart.model(model.name())), BundleTables.MLP, rows, (out, row) -> {
            for (Stats stats : row.operators()) {
                put(out, stats);
            }
            out.put((long) model.shape().numHeads())
                    .put((long) model.shape().numKvHeads())
                    .put((long) model.shape().hiddenSize());
            out.put((long) model.shape().ffnDim())
                    .put((long) model.shape().vocabSize())
                    .put(model.gatedMlp());
            out.put((long) row.tokens()).put((long) row.tensorParallel()).put((long)
                    model.shape().headDim());
        });
    }

    public void attention(List<BundleRow.Attention> rows, int blockSize, String backend) throws IOException {
        write(layout.attention(device, PathPart.model(model.name())), BundleTables.ATTENTION, rows, (out, row) -> {
            put(out, Stats.NONE);
            put(out, row.cacheWrite());
            put(out, row.isPrefill() ? row.time() : Stats.NONE);
            put(out, row.isPrefill() ? Stats.NONE : row.time());
            put(out, Stats.NONE);
            out.put((long) model.shape().hiddenSize())
                    .put((long) model.shape().numHeads())
                    .put((long) model.shape().numKvHeads());
            out.put((long) blockSize).put((long) row.tensorParallel()).put((long) model.maxPosition());
            out.put((long) row.batch()).put((long) row.chunk()).put((long) row.kvTokens());
            out.put(row.isPrefill()).put(backend).put((long) model.shape().headDim());
        });
    }

    public void allReduce(List<BundleRow.Transfer> rows) throws IOException {
        transfers(layout.allReduce(network), BundleTables.ALL_REDUCE, "all_reduce", rows);
    }

    public void sendRecv(List<BundleRow.Transfer> rows) throws IOException {
        transfers(layout.sendRecv(network), BundleTables.SEND_RECV, "send_recv", rows);
    }

    private void transfers(Path file, TableSchema schema, String collective, List<BundleRow.Transfer> rows)
            throws IOException {
        write(file, schema, rows, (out, row) -> {
            put(out, row.time());
            out.put(0L).put((long) row.workers()).put(row.bytes()).put(collective);
            out.put((long) row.devicesPerNode()).put((long) row.maxDevicesPerNode());
        });
    }

    /** Writes {@code cpu_overheads.csv}. */
    public void hostOverheads(List<BundleRow.Host> rows) throws IOException {
        Path file = layout.hostOverheads(network, PathPart.model(model.name()));
        write(file, BundleTables.CPU_OVERHEADS, rows, (out, row) -> {
            out.put(model.name()).put((long) row.batch()).put((long) row.tensorParallel());
            for (Stats stats : row.steps()) {
                put(out, stats);
            }
            out.put(row.workerCommMean());
        });
    }

    /** Writes {@code request_overheads.csv}: the time from a request's arrival until it can be scheduled. */
    public void requestOverheads(int tensorParallel, double milliseconds) throws IOException {
        Path file = layout.requestOverheads(network, PathPart.model(model.name()));
        write(file, BundleTables.REQUEST_OVERHEADS, List.of(milliseconds), (out, overhead) -> out.put(model.name())
                .put((long) tensorParallel)
                .put((double) overhead));
    }

    private <T> void write(Path file, TableSchema schema, List<T> rows, TableWriter.RowWriter<T> row)
            throws IOException {
        try (TableWriter out = TableWriter.create(OutputFile.within(layout.root(), file), schema)) {
            for (T item : rows) {
                row.put(out, item);
                out.endRow();
            }
        }
    }

    private static void put(TableWriter out, Stats stats) throws IOException {
        out.put(stats.min())
                .put(stats.max())
                .put(stats.mean())
                .put(stats.median())
                .put(stats.std());
    }
}
