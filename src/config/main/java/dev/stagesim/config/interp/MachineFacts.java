package dev.stagesim.config.interp;

import dev.stagesim.io.gzip.InputFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Resolvers for properties of this machine, for device cards that describe it. */
public final class MachineFacts {
    private static final long GIB = 1L << 30;
    private static final Map<String, Supplier<Datum>> FACTS = new TreeMap<>(Map.of(
            "cpu", () -> Datum.of(cpu()),
            "cpus", () -> Datum.of(Runtime.getRuntime().availableProcessors()),
            "memory_gib", () -> Datum.of(memoryGib()),
            "arch", () -> Datum.of(System.getProperty("os.arch", "unknown"))));

    private MachineFacts() {}

    static List<Resolver> all() {
        return List.of(new Resolver(
                "machine",
                "fact",
                "A fact about this machine: " + String.join(", ", FACTS.keySet()) + ".",
                1,
                1,
                (arguments, call) -> fact(call.text(arguments.get(0)))));
    }

    private static Datum fact(String name) {
        Supplier<Datum> fact = FACTS.get(name);
        if (fact == null) {
            throw InterpolationException.failed(
                    "there is no fact '" + name + "' about the machine, only " + String.join(", ", FACTS.keySet()));
        }
        return fact.get();
    }

    /** Returns the model name of the processor, or {@code unknown} if the system does not report it. */
    public static String cpu() {
        Path info = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(info)) {
            return "unknown";
        }
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(InputFile.raw(info), StandardCharsets.ISO_8859_1))) {
            Optional<String> line =
                    lines.lines().filter(text -> text.startsWith("model name")).findFirst();
            return line.map(text -> text.substring(text.indexOf(':') + 1).strip())
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** Returns the memory in whole GiB, at least 1. */
    private static long memoryGib() {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system) {
            return Math.max(1, system.getTotalMemorySize() / GIB);
        }
        return Math.max(1, Runtime.getRuntime().maxMemory() / GIB);
    }
}
