package dev.stagesim.io.bundle;

import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Lists the contents of a bundle for a model and a device, independent of a request's needs. */
public final class BundleContents {
    private static final String DEGREE = "num_tensor_parallel_workers";

    private BundleContents() {}

    /**
     * Returns the tensor-parallel sizes in {@code mlp.csv} in ascending order; empty if the folder or the file is
     * absent.
     */
    public static List<Integer> tensorParallelSizes(Path root, BundleRequest request) throws IOException {
        BundleLayout layout = new BundleLayout(root);
        TreeSet<Integer> degrees = new TreeSet<>();
        try {
            String device = layout.device(request);
            Path file = layout.mlp(device, layout.model(request, device));
            ProfileRows rows = ProfileRows.open(file, List.of(DEGREE), new ArrayList<>());
            if (!rows.broken()) {
                rows.rows().forEach(row -> degrees.add(rows.table().integer(row, DEGREE)));
            }
        } catch (StageException e) {
            return List.of(); // reading the bundle reports what is missing
        }
        return List.copyOf(degrees);
    }

    /** Returns the files with transfer times and host times for the folders of a request. */
    public static List<Path> transfersAndHost(Path root, BundleRequest request) throws IOException {
        BundleLayout layout = new BundleLayout(root);
        List<Path> files = new ArrayList<>();
        try {
            String network = layout.network(request);
            files.add(layout.allReduce(network));
            files.add(layout.sendRecv(network));
        } catch (StageException e) {
            // a bundle for one device can have no network folder, or one of another device
        }
        try {
            String model = layout.model(request, layout.device(request));
            files.add(layout.hostOverheads(layout.hostNetwork(request), model));
            files.add(layout.requestOverheads(layout.hostNetwork(request), model));
        } catch (StageException e) {
            // most bundles have no host times
        }
        return files.stream().filter(Files::isRegularFile).toList();
    }
}
