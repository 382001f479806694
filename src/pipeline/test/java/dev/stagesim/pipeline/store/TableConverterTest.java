package dev.stagesim.pipeline.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.TableFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TableConverterTest {
    private final Path root =
            Jimfs.newFileSystem(Configuration.unix()).getPath("/run").toAbsolutePath();

    @Test
    void linksOnlyExistingFiles() throws IOException {
        Files.createDirectories(root);
        Path page = Files.writeString(
                root.resolve("summary.md"),
                "`requests.csv` (requests.csv) <b>requests.csv</b> blis-requests.csv other/requests.csv my_requests.csv"
                        + " requests.csvx token_metrics.csv");
        TableConverter.rename(page, List.of("requests.csv"), TableFormat.PARQUET);
        assertThat(page)
                .hasContent("`requests.parquet` (requests.parquet) <b>requests.parquet</b> blis-requests.csv"
                        + " other/requests.csv my_requests.csv requests.csvx token_metrics.csv");
    }
}
