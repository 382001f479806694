package dev.stagesim.bench.engine;

import java.util.List;
import java.util.function.Supplier;

/**
 * An optional engine: a pinned list of jars, put on the class path of a process of its own only.
 *
 * @param name name on the command line
 * @param doc one sentence for people
 * @param version version of what it is made of
 * @param platform system and processor it runs on, as {@link #here()} spells it; empty for any
 * @param jars tells the jars in class-path order; most commands never ask
 */
public record Engine(String name, String doc, String version, String platform, Supplier<List<Artifact>> jars) {
    public List<Artifact> artifacts() {
        return jars.get();
    }

    /** Bytes of all jars. */
    public long bytes() {
        return artifacts().stream().mapToLong(Artifact::bytes).sum();
    }

    /** Whether it runs on this machine. */
    public boolean runsHere() {
        return platform.isEmpty() || platform.equals(here());
    }

    /** This machine, for example {@code linux-x86_64}. */
    public static String here() {
        String system = System.getProperty("os.name", "").toLowerCase(java.util.Locale.ROOT);
        String processor = System.getProperty("os.arch", "");
        return (system.startsWith("mac") ? "macosx" : system.startsWith("windows") ? "windows" : system) + "-"
                + (processor.equals("amd64") ? "x86_64" : processor.equals("aarch64") ? "arm64" : processor);
    }
}
