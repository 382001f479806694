package dev.stagesim.bench.engine;

import java.util.List;
import java.util.function.Supplier;

/**
 * An optional engine: a pinned list of jars for the class path of a separate process.
 *
 * @param name name on the command line
 * @param doc one-sentence description
 * @param version version of its jars
 * @param platform supported system and processor in the format of {@link #here()}; empty for any
 * @param jars returns the jars in class-path order; evaluated lazily
 */
public record Engine(String name, String doc, String version, String platform, Supplier<List<Artifact>> jars) {
    public List<Artifact> artifacts() {
        return jars.get();
    }

    /** Returns the total bytes of the jars. */
    public long bytes() {
        return artifacts().stream().mapToLong(Artifact::bytes).sum();
    }

    /** Returns true if the engine runs on this machine. */
    public boolean runsHere() {
        return platform.isEmpty() || platform.equals(here());
    }

    /** Returns the platform of this machine, for example {@code linux-x86_64}. */
    static String here() {
        String system = System.getProperty("os.name", "").toLowerCase(java.util.Locale.ROOT);
        String processor = System.getProperty("os.arch", "");
        return (system.startsWith("mac") ? "macosx" : system.startsWith("windows") ? "windows" : system) + "-"
                + (processor.equals("amd64") ? "x86_64" : processor.equals("aarch64") ? "arm64" : processor);
    }
}
