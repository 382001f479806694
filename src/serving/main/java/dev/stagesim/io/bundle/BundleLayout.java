package dev.stagesim.io.bundle;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Folders of one bundle: {@code compute/<device>/<model>/}, {@code network/<network device>/} and
 * {@code cpu_overhead/<network device>/<model>/}.
 */
record BundleLayout(Path root) {
    private static final int MODEL_FOLDER_DEPTH = 2;

    Path mlp(String device, String model) {
        return root.resolve("compute").resolve(device).resolve(model).resolve("mlp.csv");
    }

    Path attention(String device, String model) {
        return root.resolve("compute").resolve(device).resolve(model).resolve("attention.csv");
    }

    Path allReduce(String network) {
        return root.resolve("network").resolve(network).resolve("all_reduce.csv");
    }

    Path sendRecv(String network) {
        return root.resolve("network").resolve(network).resolve("send_recv.csv");
    }

    Path hostOverheads(String network, String model) {
        return root.resolve("cpu_overhead").resolve(network).resolve(model).resolve("cpu_overheads.csv");
    }

    Path requestOverheads(String network, String model) {
        return hostOverheads(network, model).resolveSibling("request_overheads.csv");
    }

    /** Returns the device folder of a request. */
    String device(BundleRequest request) throws IOException {
        Path compute = root.resolve("compute");
        List<String> there = folders(compute);
        if (there.isEmpty()) {
            throw StageException.input(
                    Problem.artifact(root.toString(), "no profiling bundle, expected compute/<device>/<model>")
                            .hint("make one with 'stage vidur_profile'"));
        }
        return request.folders()
                .device()
                .map(name -> named(name, there, compute))
                .orElseGet(() -> fitting(request.device(), there, compute, "device"));
    }

    /** Returns the model folder of a request. */
    String model(BundleRequest request, String device) throws IOException {
        Path dir = root.resolve("compute").resolve(device);
        List<String> there = modelFolders(dir);
        String name = request.model().name();
        String folder = there.contains(name) ? name : PathPart.model(name);
        return named(request.folders().model().orElse(folder), there, dir);
    }

    /** Returns the network folder of a request. */
    String network(BundleRequest request) throws IOException {
        Path network = root.resolve("network");
        List<String> there = folders(network);
        return request.folders()
                .network()
                .map(name -> named(name, there, network))
                .orElseGet(() -> fitting(request.device(), there, network, "network device"));
    }

    /** Returns the folder with host overheads: the requested network device, or the only matching one. */
    String hostNetwork(BundleRequest request) throws IOException {
        Path host = root.resolve("cpu_overhead");
        List<String> there = folders(host);
        if (there.isEmpty()) {
            throw StageException.input(Problem.artifact(root.toString(), "the bundle has no host times (cpu_overhead/)")
                    .hint("computed bundles have them with profile.host.kind=linear"
                            + " profile.host.schedule.base_us=<microseconds per step>, imported ones with"
                            + " profile.host_overheads=true; or leave out simulation.overheads.host=true"));
        }
        return request.folders()
                .network()
                .map(name -> named(name, there, host))
                .orElseGet(() -> fitting(request.device(), there, host, "network device"));
    }

    private static String named(String name, List<String> there, Path dir) {
        if (there.contains(name)) {
            return name;
        }
        throw StageException.input(Problem.artifact(dir.toString(), "'" + name + "' is not in the bundle")
                .options(there)
                .didYouMean(Suggest.near(name, there)));
    }

    private static String fitting(String device, List<String> there, Path dir, String what) {
        if (there.contains(device)) {
            return device;
        }
        List<String> fit = there.stream().filter(fits(device)).toList();
        if (fit.size() == 1) {
            return fit.get(0);
        }
        String key = what.replace(' ', '_');
        String found = fit.isEmpty() ? "no " + what + " fits '" : "several " + what + "s fit '";
        throw StageException.input(Problem.artifact(dir.toString(), found + device + "'")
                .options(fit.isEmpty() ? there : fit)
                .hint("an import takes the folder that profile." + key + " names"));
    }

    /**
     * Matches folders of a device: {@code a100} and the network folder {@code a100_dgx} match {@code a100_sxm_80gb}.
     */
    private static Predicate<String> fits(String device) {
        String generation = device.split("_", 2)[0];
        return folder -> device.startsWith(folder + "_")
                || folder.equals(generation)
                || (folder.startsWith(generation + "_") && !folder.matches(generation + "_(sxm|pcie|nvl)_.*"));
    }

    private static List<String> folders(Path dir) throws IOException {
        if (!Files.isDirectory(dir)) {
            return List.of();
        }
        return Directories.list(dir, Files::isDirectory).stream()
                .map(entry -> entry.getFileName().toString())
                .toList();
    }

    /** Returns the model folders, which are one or two levels deep: a name, or a publisher and a name. */
    private static List<String> modelFolders(Path dir) throws IOException {
        try (Stream<Path> entries = Files.walk(dir, MODEL_FOLDER_DEPTH + 1)) {
            return entries.filter(entry -> entry.endsWith("mlp.csv") || entry.endsWith("attention.csv"))
                    .flatMap(entry -> Optional.ofNullable(entry.getParent()).stream())
                    .map(model -> dir.relativize(model).toString().replace('\\', '/'))
                    .distinct()
                    .sorted()
                    .toList();
        }
    }
}
