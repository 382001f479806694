package dev.stagesim.pipeline.store;

import dev.stagesim.config.interp.MachineFacts;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The machine and the Java runtime of a run.
 *
 * @param java version of the Java runtime
 * @param os name and version of the operating system
 * @param arch processor architecture
 * @param cpu model name of the processor, or {@code unknown} if the system does not report it
 * @param cpus number of available processors
 * @param host name of the machine
 */
public record Machine(String java, String os, String arch, String cpu, int cpus, String host) {
    public static Machine current() {
        return new Machine(
                property("java.version"),
                property("os.name") + " " + property("os.version"),
                property("os.arch"),
                MachineFacts.cpu(),
                Runtime.getRuntime().availableProcessors(),
                hostName());
    }

    private static String property(String name) {
        return System.getProperty(name, "unknown");
    }

    /** Reads the name from system files, because a name service query may take seconds. */
    private static String hostName() {
        return Stream.of("/proc/sys/kernel/hostname", "/etc/hostname")
                .map(file -> text(Path.of(file)))
                .filter(name -> !name.isEmpty())
                .findFirst()
                .orElseGet(() -> Objects.requireNonNullElse(System.getenv("COMPUTERNAME"), "unknown"));
    }

    private static String text(Path file) {
        try {
            return InputFile.text(file).strip();
        } catch (IOException | StageException e) {
            return "";
        }
    }

    public JsonValue.Obj json() {
        return JsonValue.object()
                .put("java_version", java)
                .put("os", os)
                .put("arch", arch)
                .put("cpu", cpu)
                .put("cpu_count", cpus)
                .put("host", host)
                .put("machine", fingerprint())
                .build();
    }

    /** Returns twelve hex digits that identify this machine. The Java version is not included. */
    public String fingerprint() {
        return Digests.sha256(String.join("\n", os, arch, cpu, Integer.toString(cpus), host))
                .substring(0, 12);
    }
}
