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
 * @param role name of the input in the stage, for example {@code workload}
 * @param stage stage that runs if no directory is given
 * @param accepts accepted run types of a given directory, including the type of the stage
 * @param key configuration key of the directory, for example {@code workload.dir}
 * @param dir the given directory
 * @param fed inputs of the producing stage that this stage supplies from its own inputs: role there to role here
 * @param changes values that replace those of this stage's configuration for the producing stage, by dotted key
 * @param further number added to this stage's repetition to obtain the repetition of the producing stage
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
     * Returns this input with the producing stage's input {@code there} supplied by this stage's input {@code here}.
     *
     * <p>This applies if the producing stage has no directory for the input and accepts runs of that type. {@code here}
     * must precede this input in the stage's list.
     */
    public Upstream feeding(String there, String here) {
        Map<String, String> more = new HashMap<>(fed);
        more.put(there, here);
        return new Upstream(role, stage, accepts, key, dir, more, changes, further);
    }

    /**
     * Returns this input with changed values in the configuration of the producing stage.
     *
     * @param newChanges values by dotted key, as in {@link StageContext#saveConfig}
     */
    public Upstream with(Map<String, Object> newChanges) {
        return new Upstream(role, stage, accepts, key, dir, fed, newChanges, further);
    }

    /** Returns the next repetition of this input, which measures it again. */
    public Upstream again() {
        return new Upstream(role, stage, accepts, key, dir, fed, changes, further + 1);
    }

    /** Returns true if a run of this type can supply the role. */
    public boolean takes(String runType) {
        return stage.equals(runType) || accepts.contains(runType);
    }
}
