package dev.stagesim.sweep;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.YamlText;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Shell;
import java.util.List;
import java.util.Locale;

/**
 * The parts of a sweep as a job of a cluster scheduler.
 *
 * @param stage stage of the jobs
 * @param jobs number of jobs
 * @param shards number of parts
 * @param cpus cores per part
 * @param memoryGib memory per part
 * @param workDir directory in which the parts run
 * @param command the command of a part, without the arguments that select the part
 * @param searches true for a search, which has one part
 */
public record ClusterJob(
        String sweepId,
        String stage,
        int jobs,
        int shards,
        int cpus,
        int memoryGib,
        String workDir,
        List<String> command,
        boolean searches) {
    /** Heap size as a percentage of a part's memory. */
    private static final int HEAP_PERCENT = 75;

    public ClusterJob {
        command = List.copyOf(command);
    }

    /**
     * Returns a script for {@code sbatch}: an array with one task per part.
     *
     * @param extra additional {@code #SBATCH} options, such as {@code --partition=short}
     */
    public String slurm(List<String> extra) {
        StringBuilder script = new StringBuilder("#!/usr/bin/env bash\n");
        script.append("#SBATCH --job-name=stagesim-").append(stage).append('\n');
        script.append("#SBATCH --array=0-").append(shards - 1).append('\n');
        script.append("#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=")
                .append(cpus)
                .append('\n');
        script.append("#SBATCH --mem=").append(memoryGib).append("G\n");
        extra.forEach(option ->
                script.append("#SBATCH ").append(Shell.comment(option)).append('\n'));
        script.append("# ").append(Shell.comment(remark())).append('\n');
        script.append("set -euo pipefail\n");
        script.append("export STAGE_JAVA_OPTS=\"${STAGE_JAVA_OPTS:--Xmx")
                .append(heapMib())
                .append("m}\"\n");
        script.append("cd ").append(Shell.quoted(workDir)).append('\n');
        script.append("exec ").append(line("SLURM_ARRAY_TASK_ID")).append('\n');
        return script.toString();
    }

    /**
     * Returns a manifest for {@code kubectl apply}: an Indexed job with one completion per part.
     *
     * @param image container image of the product
     * @param claim persistent volume claim for the working directory of all parts
     */
    public String kubernetes(String image, String claim) {
        String name = "stagesim-" + stage.replace('_', '-') + "-" + sweepId.substring(sweepId.indexOf('-') + 1);
        JsonObjectBuilder job = JsonValue.object()
                .put("apiVersion", "batch/v1")
                .put("kind", "Job")
                .put(
                        "metadata",
                        JsonValue.object().put("name", PathPart.label(name)).build())
                .put(
                        "spec",
                        JsonValue.object()
                                .put("completionMode", "Indexed")
                                .put("completions", shards)
                                .put("parallelism", shards)
                                .put("backoffLimit", shards)
                                .put(
                                        "template",
                                        JsonValue.object()
                                                .put("spec", pod(image, claim))
                                                .build())
                                .build());
        return "# " + Shell.comment(remark()) + "\n" + YamlText.of(job.build());
    }

    private JsonValue pod(String image, String claim) {
        JsonObjectBuilder container = JsonValue.object()
                .put("name", "stage")
                .put("image", image)
                .put("workingDir", workDir)
                .put("command", JsonValue.strings(List.of("/usr/bin/env", "bash", "-c")))
                .put("args", JsonValue.strings(List.of("exec " + line("JOB_COMPLETION_INDEX"))))
                .put(
                        "env",
                        JsonValue.of(List.of(named("STAGE_JAVA_OPTS")
                                .put("value", "-Xmx" + heapMib() + "m")
                                .build())))
                .put(
                        "resources",
                        JsonValue.object()
                                .put(
                                        "requests",
                                        resources()
                                                .put("cpu", Integer.toString(cpus))
                                                .build())
                                .put("limits", resources().build())
                                .build())
                .put(
                        "volumeMounts",
                        JsonValue.of(
                                List.of(named("work").put("mountPath", workDir).build())));
        JsonValue volume = named("work")
                .put(
                        "persistentVolumeClaim",
                        JsonValue.object().put("claimName", claim).build())
                .build();
        return JsonValue.object()
                .put("restartPolicy", "Never")
                .put("containers", JsonValue.of(List.of(container.build())))
                .put("volumes", JsonValue.of(List.of(volume)))
                .build();
    }

    private static JsonObjectBuilder named(String name) {
        return JsonValue.object().put("name", name);
    }

    private JsonObjectBuilder resources() {
        return JsonValue.object().put("memory", memoryGib + "Gi");
    }

    private String remark() {
        return searches
                ? String.format(Locale.ROOT, "a search among %,d candidates; if submitted again, it resumes", jobs)
                : String.format(
                        Locale.ROOT,
                        "%s: %,d jobs in %d parts; a part that is run again reuses its finished jobs.",
                        sweepId,
                        jobs,
                        shards);
    }

    private int heapMib() {
        return memoryGib * 1024 * HEAP_PERCENT / 100;
    }

    private String line(String index) {
        String words = Shell.line(command);
        if (searches) {
            return words + " sweeper.jobs=" + cpus;
        }
        return words + " launcher=shard \"launcher.shard=$" + index + "/" + shards + "\" launcher.jobs=" + cpus;
    }
}
