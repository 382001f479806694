package dev.stagesim.bench.engine;

/**
 * One pinned file of an engine.
 *
 * @param path path below a Maven repository, {@code /} between parts
 * @param bytes size
 * @param sha256 digest in lower-case hexadecimal digits
 */
public record Artifact(String path, long bytes, String sha256) {
    /** Returns the file name. */
    public String file() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /**
     * Returns the jar with Maven coordinates.
     *
     * @param coordinates {@code group:name:version} or {@code group:name:version:classifier}
     */
    public static Artifact jar(String coordinates, long bytes, String sha256) {
        String[] parts = coordinates.split(":", -1);
        String classifier = parts.length > 3 ? "-" + parts[3] : "";
        String folder = parts[0].replace('.', '/') + "/" + parts[1] + "/" + parts[2] + "/";
        return new Artifact(folder + parts[1] + "-" + parts[2] + classifier + ".jar", bytes, sha256);
    }
}
