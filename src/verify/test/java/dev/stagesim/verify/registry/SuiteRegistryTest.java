package dev.stagesim.verify.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.VerifyReport;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SuiteRegistryTest {
    private final SuiteRegistry registry = new SuiteRegistry();

    private String refusal(String suite, Path corpus) {
        StageException rejected = assertThrows(StageException.class, () -> registry.run(suite, corpus));
        assertThat(rejected.kind()).isEqualTo(StageException.Kind.INPUT);
        return rejected.getMessage();
    }

    @Test
    void rejectsUnknownSuitesAndEmptyCorpora() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path corpus = Files.createDirectory(files.getPath("/corpus"));

            assertThat(refusal("hydar", corpus))
                    .contains("unknown suite 'hydar'")
                    .contains("did you mean  hydra");
            assertThat(refusal("hydra", files.getPath("/none"))).contains("there is no directory /none");
            assertThat(refusal("hydra", corpus)).contains("contains no case");
        }
    }

    @Test
    void countsEveryLineAndSkipsAbsentParts() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path folder = Files.createDirectories(files.getPath("/corpus/overrides"));
            Files.writeString(
                    folder.resolve("cases.jsonl"),
                    """
                    {"id":"a","input":"a","ok":false,"error":{"phase":"parser","message":"no"}}
                    {"id":"b","input":"a=1","ok":false,"error":{"phase":"parser","message":"no"}}
                    {"id":"c","input":"a=int(x)","ok":false,"error":{"phase":"parser","message":"no"}}
                    {"id":"d","input":"a=1","ok":true,"result":{"type":"change","value_str":"2"}}
                    """);

            VerifyReport report = registry.run("hydra", files.getPath("/corpus"));

            assertThat(report.cases()).isEqualTo(4);
            assertThat(report.failed()).extracting(CaseResult::id).containsExactly("b", "c", "d");
        }
    }
}
