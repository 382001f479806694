package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sets every key for a file to an invalid path: a directory, an endless device, or an illegal name. */
class HostileFilesTest {
    /** A file on Linux with failing reads, like a bad disk. The error names the file. */
    private static final String UNREADABLE = "/proc/self/mem";

    /** {@code @} is replaced by the path. */
    private static final List<String> LINES = List.of(
            "real_bench real.file=@",
            "real_bench real.dir=@",
            "compare real.file=@",
            "compare compare.noise.dir=@",
            "workload workload=lengths workload.file=@",
            "workload workload=trace workload.file=@",
            "workload workload=trace workload.file=@ workload.format=burstgpt_v12",
            "workload workload=trace workload.file=@ workload.format=mooncake",
            "workload workload=small_chat arrival=trace arrival.file=@",
            "workload workload=chat_prompts workload.file=@",
            "workload workload=chat_prompts workload.tokenizer=@",
            "workload workload=catalog workload.file=@",
            "workload workload=chakra_text_example workload.file=@",
            "workload workload=mnk_example workload.mnk=@",
            "workload workload=mnk_example workload.output_file=@",
            "workload workload=mnk_example workload.compute.array=@",
            "workload workload=pytorch_example workload.host=@",
            "workload workload=pytorch_example workload.device=@",
            "workload workload=pytorch_example workload.host=null",
            "workload workload=pytorch_example workload.output=@",
            "scale_sim topology.file=@",
            "scale_sim topology=small_layout topology.layout=@",
            "scale_sim +arch.file=@",
            "astra_sim network=file network.topology.file=@",
            "astra_sim system=file system.file=@",
            "astra_sim memory=file memory.file=@",
            "astra_sim network=packet_file network.packet.config=@",
            "astra_sim network=packet_star_8 network.packet.topology={kind:file,file:@}",
            "astra_sim trace.prefix=@",
            "astra_sim groups.file=@",
            "astra_sim system.custom.all_reduce=@",
            "astra_sim system.custom.per_node=@",
            "vidur_sim profile.profiler=import profile.root=@",
            "vidur_sim predictor=tables predictor.dir=@",
            "vidur_sim predictor=measured predictor.dir=@",
            "vidur_sim workload.file=@",
            "vidur_sim scheduler=@",
            "vidur_sim model=@",
            "fabric atlas.targets=@",
            "fabric atlas.workloads=@",
            "fabric atlas.hardware=@",
            "fabric atlas.records=[@]",
            "train_plan peer.application=@",
            "serve_mock endpoint.cancel.file=@",
            "suite_report report.runs=[@]",
            "config show @",
            "runs show @",
            "runs list @",
            "table @ request_metrics",
            "verify suite=hydra corpus=@",
            "model import @",
            "fidelity corpus=@",
            "inspect show @",
            "inspect diff @ @",
            "workload --config-path @",
            "workload --config-name @",
            "workload --config-snapshot @",
            "sweep merge @");

    @Test
    void rejectsIllegalFileNames() {
        for (String name : List.of("a\0b.csv", "x\ud800.csv")) {
            for (String line : List.of("runs show @", "fidelity corpus=@", "verify suite=hydra corpus=@")) {
                CliTester run = CliTester.run(line.replace("@", name).split(" "));
                assertThat(run.exit()).as(line).isEqualTo(2);
                assertThat(run.err()).contains("no file can have this name").doesNotContain("internal error");
            }
        }
    }

    @Test
    @Tag("long")
    void rejectsPathsThatAreNoFilesWithOneError(@TempDir Path folder) throws IOException {
        Path endless = folder.resolve("endless.json");
        try (RandomAccessFile file = new RandomAccessFile(endless.toFile(), "rw")) {
            file.setLength(1L << 36);
        }
        Path directory = Files.createDirectory(folder.resolve("directory"));
        List<String> hostile =
                List.of(endless.toString(), directory.toString(), UNREADABLE, "a\0b.csv", "x\ud800.csv", "");
        Map<String, String> wrong = new TreeMap<>();
        for (String line : LINES) {
            for (String file : hostile) {
                String[] words = line.split(" ");
                for (int i = 0; i < words.length; i++) {
                    words[i] = words[i].replace(
                            "@",
                            words[i].equals("@") || (words[i].contains("=@") && !words[i].matches(".*[\\[{].*"))
                                    ? file
                                    : file.isEmpty() ? "''" : file);
                }
                CliTester run = CliTester.run(words);
                String output = run.err();
                if (run.exit() == 0
                        || output.contains("internal error")
                        || output.contains("out of memory")
                        || (output.contains("Input/output error") && !output.contains(UNREADABLE))
                        || output.isBlank()) {
                    wrong.put(line + " <- " + file.replace('\0', '0'), run.exit() + " " + output);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }
}
