package dev.stagesim.io.scalesim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.PythonText;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.sim.mnk.Cluster;
import dev.stagesim.sim.mnk.LayerType;
import dev.stagesim.sim.mnk.MnkLayer;
import dev.stagesim.sim.mnk.Parallelism;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Reads tables of layers: {@code name,m,n,k}, optionally followed by parallelism, type and number of products per
 * layer.
 */
public final class MnkReader {
    /** Policy for which each layer has its own parallelism. */
    public static final String CUSTOMIZED = "HYBRID_CUSTOMIZED";

    private static final String CATEGORY = "m/n/k table error";
    /** Larger than any realistic layer, and small enough for 64-bit byte counts. */
    private static final double MAX_MACS = 1e17;

    private static final int COLUMNS = 4;
    private static final int TYPE = 5;
    private static final int COUNT = 6;
    private static final List<String> NAMES =
            Arrays.stream(Parallelism.values()).map(Enum::name).toList();
    private static final List<String> TYPES =
            Arrays.stream(LayerType.values()).map(Enum::name).toList();

    private final Path file;
    private final String policy;
    private final Cluster cluster;
    private final boolean isReference;
    private final List<Problem> problems = new ArrayList<>();
    private final List<MnkLayer> layers = new ArrayList<>();

    private MnkReader(Path file, String policy, Cluster cluster, boolean isReference) {
        this.file = file;
        this.policy = policy;
        this.cluster = cluster;
        this.isReference = isReference;
    }

    /**
     * Reads a table.
     *
     * @param policy parallelism of all layers, or {@link #CUSTOMIZED}
     * @param isReference true to parse as leniently as the reference: any header, the policy overrides the last of more
     * than four columns, and shares are rounded down
     */
    public static List<MnkLayer> read(Path file, String policy, Cluster cluster, boolean isReference)
            throws IOException {
        MnkReader reader = new MnkReader(file, policy, cluster, isReference);
        List<String> lines = TextLines.read(file, CATEGORY);
        if (!isReference) {
            reader.header(lines);
        }
        for (int i = 1; i < lines.size(); i++) {
            if (isReference || !lines.get(i).isBlank()) {
                // The reference keeps tabs as part of a cell.
                String line = lines.get(i);
                reader.row(isReference ? line.replaceAll("^ +| +$", "") : line.strip(), i + 1);
            }
        }
        StageException.refuse(reader.problems);
        return List.copyOf(reader.layers);
    }

    private void header(List<String> lines) {
        if (lines.isEmpty()) {
            problem(1, "the table is empty; its first line is a header such as Layer,m,n,k");
            return;
        }
        TextLines.checkHeader(lines, "a header such as Layer,m,n,k", what -> problem(1, what));
    }

    private void problem(int line, String what) {
        problems.add(Problem.of(CATEGORY, file + ":" + line, what));
    }

    private void row(String line, int number) {
        List<String> cells = new ArrayList<>(List.of(line.split(",", -1)));
        if (!(isReference ? override(cells, number) : complete(cells, number))) {
            return;
        }
        int known = problems.size();
        String name = isReference ? cells.get(0) : cells.get(0).strip();
        int m = size(cells.get(1), "m", number);
        int n = size(cells.get(2), "n", number);
        int k = size(cells.get(3), "k", number);
        Optional<Parallelism> parallelism = parallelism(cells.get(COLUMNS), number);
        LayerType type = cells.size() > TYPE ? type(cells.get(TYPE).strip(), number) : LayerType.GEMM;
        int count = cells.size() > COUNT ? size(cells.get(COUNT), "count", number) : 1;
        if (type == LayerType.EMBEDDING && count > 1) {
            problem(number, "count: an embedding is one table");
        }
        if (!isReference && name.chars().noneMatch(c -> c > ' ')) {
            problem(number, "name: expected the name of the layer, found nothing");
        } else if (!isReference && name.chars().anyMatch(Character::isWhitespace)) {
            problem(
                    number,
                    "name: '" + name + "' contains a blank, but blanks separate the columns of the workload; write '"
                            + name.replaceAll("\\s+", "_") + "'");
        }
        if (!isReference && (double) m * n * k * count > MAX_MACS) {
            problem(number, "more than 10^17 multiply-accumulates in one layer");
        }
        if (problems.size() == known && parallelism.isPresent()) {
            add(new MnkLayer(name, m, n, k, parallelism.get(), type, count), number);
        }
    }

    private void add(MnkLayer layer, int number) {
        if (!isReference && !layer.isDivisible(cluster)) {
            problem(
                    number,
                    layer.type().isAttention()
                            ? "count " + layer.count() + " does not divide among " + cluster.processors()
                                    + " processors"
                            : "m " + layer.m() + " and n " + layer.n() + " do not divide into "
                                    + layer.parallelism().inputShares(cluster) + " and "
                                    + layer.parallelism().outputShares(cluster)
                                    + " shares");
        }
        layers.add(layer);
    }

    /** Inserts the policy if the row has no parallelism or the policy overrides it. */
    private boolean complete(List<String> cells, int number) {
        boolean isCustomized = policy.equals(CUSTOMIZED);
        int minimum = isCustomized ? COLUMNS + 1 : COLUMNS;
        if (cells.size() < minimum || cells.size() > COUNT + 1) {
            problem(
                    number,
                    "expected the columns name,m,n,k" + (isCustomized ? ",parallelism" : "[,parallelism]")
                            + "[,type[,count]], found " + cells.size() + " columns");
            return false;
        }
        if (cells.size() == COLUMNS) {
            cells.add(policy);
        } else if (!isCustomized) {
            cells.set(COLUMNS, policy);
        }
        return true;
    }

    /** Inserts the policy at the position the reference uses; returns false if the row is too short. */
    private boolean override(List<String> cells, int number) {
        if (policy.equals(CUSTOMIZED)) {
            if (cells.size() != COLUMNS + 1) {
                problem(number, "expected 5 columns, the last one the parallelism, found " + cells.size());
            }
            return cells.size() == COLUMNS + 1;
        }
        if (cells.size() == COLUMNS) {
            cells.add(policy);
        } else {
            cells.set(cells.size() - 1, policy);
        }
        if (cells.size() <= COLUMNS) {
            problem(number, "expected the columns name,m,n,k, found " + cells.size() + " columns");
            return false;
        }
        while (cells.size() > COLUMNS + 1) {
            cells.remove(cells.size() - 1);
        }
        return true;
    }

    private LayerType type(String text, int line) {
        if (text.isEmpty()) {
            return LayerType.GEMM;
        }
        Optional<LayerType> found = LayerType.of(text);
        if (found.isEmpty()) {
            problems.add(Problem.of(CATEGORY, file + ":" + line, "unknown layer type '" + text + "'")
                    .options(TYPES)
                    .didYouMean(Suggest.near(text, TYPES)));
        }
        return found.orElse(LayerType.GEMM);
    }

    private int size(String text, String name, int line) {
        Optional<BigInteger> value = PythonText.integer(text).filter(each -> each.bitLength() < Integer.SIZE);
        if (value.isPresent() && value.get().signum() > 0 && (isReference || text.indexOf('_') < 0)) {
            return value.get().intValue();
        }
        problem(line, name + ": expected a whole number above 0, found '" + text + "'");
        return 1;
    }

    private Optional<Parallelism> parallelism(String text, int line) {
        Optional<Parallelism> found = Parallelism.of(isReference ? text : text.strip());
        if (found.isEmpty()) {
            problems.add(Problem.of(CATEGORY, file + ":" + line, "unknown parallelism '" + text + "'")
                    .options(NAMES)
                    .didYouMean(Suggest.near(text, NAMES)));
        }
        return found;
    }
}
