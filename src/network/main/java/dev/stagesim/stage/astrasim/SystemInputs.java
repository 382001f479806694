package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.MemoryFiles;
import dev.stagesim.io.astra.Reading;
import dev.stagesim.io.astra.SystemFile;
import dev.stagesim.io.astra.SystemFiles;
import dev.stagesim.model.Count;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.network.MemorySettings;
import dev.stagesim.network.SystemSettings;
import dev.stagesim.network.SystemSettings.Keys;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.ChunkOrder;
import dev.stagesim.sim.collective.spec.DimensionOrder;
import dev.stagesim.stage.ShippedFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The simulated machine: the settings with the contents of all their files.
 *
 * @param warnings findings in the files
 */
record SystemInputs(SystemFile system, NetworkPlan network, MemorySettings memory, List<String> warnings) {
    /** Local memory accesses of a reduction per received byte. */
    private static final int REDUCTION_ACCESSES = 3;

    /**
     * Resolves system, network and memory.
     *
     * @throws StageException (input) with all problems
     */
    static SystemInputs resolve(AstraSimSettings settings, Path home) throws IOException {
        Resolver resolver = new Resolver(settings.compat(), home);
        Optional<SystemFile> system = resolver.part(() -> resolver.system(settings.system()));
        Optional<NetworkPlan> network =
                resolver.part(() -> NetworkResolver.resolve(settings.network(), settings.compat(), home));
        Optional<MemorySettings> memory = resolver.part(() -> resolver.memory(settings.memory()));
        if (system.isPresent() && network.isPresent() && memory.isPresent()) {
            resolver.checkCombination(system.get(), network.get(), memory.get());
        }
        resolver.fail();
        return new SystemInputs(system.orElseThrow(), network.orElseThrow(), memory.orElseThrow(), resolver.warnings);
    }

    /** Returns a warning if the reduction of a message takes longer than its transmission over the fastest link. */
    Optional<String> memoryLimit() {
        double memory = system.keys().compute().localMemBw();
        double link = network.fastestBytesPerNs();
        return memory == 0 || REDUCTION_ACCESSES * link <= memory
                ? Optional.empty()
                : Optional.of("local memory limits reductions: with system.local_mem_bw=" + ShortestDouble.of(memory)
                        + " GB/s the " + REDUCTION_ACCESSES
                        + " accesses for a received byte take longer than a link of "
                        + Numbers.significant(link, 4) + " GB/s; set it to the memory bandwidth of the device");
    }

    /** Resolves the parts and collects their problems. */
    private static final class Resolver {
        private final AstraCompat compat;
        private final Path home;
        private final List<Problem> problems = new ArrayList<>();
        private final List<String> warnings = new ArrayList<>();

        Resolver(AstraCompat compat, Path home) {
            this.compat = compat;
            this.home = home;
        }

        private interface Part<T> {
            Reading<T> read() throws IOException;
        }

        <T> Optional<T> part(Part<T> part) throws IOException {
            try {
                Reading<T> read = part.read();
                warnings.addAll(read.warnings());
                return Optional.of(read.value());
            } catch (StageException e) {
                problems.addAll(e.problems());
                return Optional.empty();
            }
        }

        Reading<SystemFile> system(SystemSettings settings) throws IOException {
            if (settings instanceof SystemSettings.File file) {
                return SystemFiles.read(ShippedFiles.file(file.file(), home), compat);
            }
            Keys keys = (Keys) settings;
            SystemFile system = new SystemFile(keys, true);
            system.names().forEach((kind, names) -> names.stream()
                    .filter(name -> Algorithm.parse(name).isEmpty())
                    .forEach(name ->
                            problems.add(Problem.config(implementation(kind), "no algorithm is named '" + name + "'")
                                    .options(Algorithm.options())
                                    .didYouMean(Suggest.near(name, Algorithm.options())))));
            checkOrders(keys);
            if (keys.compute().rooflineEnabled()
                    && (keys.compute().peakPerf() <= 0 || keys.compute().localMemBw() <= 0)) {
                refuse("system.roofline_enabled", "needs system.peak_perf and system.local_mem_bw above 0");
            }
            fail();
            boolean isFree = keys.compute().localMemBw() == 0 && compat != AstraCompat.ASTRA_2023;
            return new Reading<>(
                    system, isFree ? List.of("system.local_mem_bw is 0, so that reductions take no time") : List.of());
        }

        private static String implementation(CollectiveKind kind) {
            return "system." + KeyNames.constant(kind) + "_implementation";
        }

        private void checkOrders(Keys system) {
            if (compat == AstraCompat.NONE) {
                return;
            }
            if (system.scheduling().interDimensionScheduling() != DimensionOrder.Kind.ASCENDING) {
                refuse("system.inter_dimension_scheduling", "the reference supports only the order ascending");
            }
            if (system.scheduling().intraDimensionScheduling() != ChunkOrder.FIFO) {
                refuse("system.intra_dimension_scheduling", "the reference supports only the order fifo");
            }
        }

        Reading<MemorySettings> memory(MemorySettings settings) throws IOException {
            return settings instanceof MemorySettings.File file
                    ? MemoryFiles.read(ShippedFiles.file(file.file(), home), compat)
                    : new Reading<>(settings, List.of());
        }

        /** Checks requirements between the parts. */
        void checkCombination(SystemFile system, NetworkPlan network, MemorySettings memory) {
            int dims = network.dimensions().size();
            Map<Integer, List<CollectiveKind>> tooLong = new TreeMap<>();
            Map<Integer, List<CollectiveKind>> tooShort = new TreeMap<>();
            system.implementations().forEach((kind, list) -> {
                boolean isFlat = list.stream().anyMatch(Algorithm::flat);
                if (list.size() > dims) {
                    tooLong.computeIfAbsent(list.size(), size -> new ArrayList<>())
                            .add(kind);
                } else if (!list.isEmpty() && list.size() < dims && !isFlat) {
                    tooShort.computeIfAbsent(list.size(), size -> new ArrayList<>())
                            .add(kind);
                }
            });
            tooLong.forEach((size, kinds) -> refuse("system", describeLengths(kinds, size, dims)));
            tooShort.forEach((size, kinds) -> rejectShortLists(kinds, size, dims));
            if (system.keys().scheduling().interDimensionScheduling() != DimensionOrder.Kind.ASCENDING && dims == 1) {
                refuse("system", "the scheduling between dimensions has no effect: the network has one dimension");
            }
            if (system.keys().scheduling().interDimensionScheduling() == DimensionOrder.Kind.THEMIS
                    && network.bytesPerNs().isEmpty()) {
                refuse(
                        "system",
                        "system.inter_dimension_scheduling=themis needs the bandwidth of each dimension: use"
                                + " network.topology.kind=dims or file, or a graph with dimensions as tiers");
            }
            if (memory instanceof MemorySettings.PerNode node
                    && (long) node.numNodes() * node.numNpusPerNode() < network.npus()) {
                refuse(
                        "memory",
                        node.numNodes() + " nodes of " + node.numNpusPerNode() + " NPUs are fewer than the "
                                + network.npus() + " NPUs of the network");
            }
        }

        /**
         * Rejects lists that are too short. A dimension without an algorithm is not part of the collective, which would
         * then run separately in each slice of the machine.
         */
        private void rejectShortLists(List<CollectiveKind> kinds, int size, int dims) {
            String what = describeLengths(kinds, size, dims)
                    + ": NPUs that differ in further dimensions would not communicate";
            if (compat != AstraCompat.NONE) {
                warnings.add(what + ", as in the reference");
                return;
            }
            String keys = kinds.stream().map(Resolver::implementation).collect(Collectors.joining(", "));
            problems.add(Problem.config("system", what)
                    .hint((dims == 2 ? "set system=dgx_h100 or system=dgx_a100, or " : "") + "give " + keys
                            + " an algorithm for each dimension, or a flat one such as [oneRing]"));
        }

        /** Describes lists of algorithms whose length differs from the number of dimensions. */
        private static String describeLengths(List<CollectiveKind> kinds, int size, int dims) {
            String names = kinds.stream()
                    .map(each -> KeyNames.constant(each).replace('_', '-'))
                    .collect(Collectors.joining(", "));
            boolean isOne = kinds.size() == 1;
            return (isOne ? "the list of algorithms for " : "the lists of algorithms for ") + names
                    + (isOne ? " has " : " have ") + size + (size == 1 ? " entry" : " entries")
                    + ", but the network has " + Count.of(dims, "dimension");
        }

        private void refuse(String where, String what) {
            problems.add(Problem.config(where, what));
        }

        void fail() {
            if (!problems.isEmpty()) {
                throw StageException.input(problems.stream().distinct().toList());
            }
        }
    }
}
