package dev.stagesim.stage;

import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One input of a stage that another stage can produce.
 *
 * @param role name under which the stage asks for it, for example {@code workload}
 * @param stage stage that is run when no directory is given
 * @param accepts run types a given directory may have; the stage's own type is always among them
 * @param key configuration key that names a directory, for example {@code workload.dir}
 * @param dir the directory the user gave
 * @param fed roles among the producing stage's own inputs, each with the role among this stage's inputs that fills it
 * @param changes what the producing stage's configuration has instead of this stage's, by dotted key
 * @param further 0 for a run of the same repetition as this stage's, n for the n-th repetition behind it
 */
public record Upstream(
        String role,
        String stage,
        List<String> accepts,
        String key,
        Optional<Path> dir,
        Map<String, String> fed,
        Map<String, Object> changes,
        int further) {
    public Upstream {
        accepts = List.copyOf(accepts);
        fed = Map.copyOf(fed);
        changes = Collections.unmodifiableMap(new LinkedHashMap<>(changes));
    }

    public Upstream(String role, String stage, List<String> accepts, String key, Optional<Path> dir) {
        this(role, stage, accepts, key, dir, Map.of(), Map.of(), 0);
    }

    /**
     * The same input, whose producing stage gets its input {@code there} from this stage's input {@code here}.
     *
     * <p>That is so where it names no directory of its own and accepts runs of that type; else it makes its own, as
     * usual. {@code here} comes before this input in the stage's list.
     */
    public Upstream feeding(String there, String here) {
        Map<String, String> more = new HashMap<>(fed);
        more.put(there, here);
        return new Upstream(role, stage, accepts, key, dir, more, changes, further);
    }

    /**
     * The same input, whose producing stage has these values in its configuration.
     *
     * @param newChanges values as {@link StageContext#keepConfig} takes them, by dotted key
     */
    public Upstream with(Map<String, Object> newChanges) {
        return new Upstream(role, stage, accepts, key, dir, fed, newChanges, further);
    }

    /** The same input, measured once more: the next repetition of all that is measured for it. */
    public Upstream again() {
        return new Upstream(role, stage, accepts, key, dir, fed, changes, further + 1);
    }

    /** True when a run of this type can fill the role. */
    public boolean takes(String runType) {
        return stage.equals(runType) || accepts.contains(runType);
    }
}
