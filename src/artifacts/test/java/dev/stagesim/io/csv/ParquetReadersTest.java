package dev.stagesim.io.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.contract.TableFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads Parquet files with other readers, if {@code python3} or the Python of {@code STAGESIM_TEST_PYTHON} has them.
 */
class ParquetReadersTest {
    private static final String PYTHON =
            Optional.ofNullable(System.getenv("STAGESIM_TEST_PYTHON")).orElse("python3");

    @TempDir
    Path dir;

    private String python(String script) throws IOException, InterruptedException {
        Path out = dir.resolve("out.txt");
        Path file = Files.writeString(dir.resolve("check.py"), script);
        Process process = new ProcessBuilder(PYTHON, file.toString())
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        return Files.readString(out);
    }

    private void assumeModule(String module) throws InterruptedException {
        boolean isThere;
        try {
            isThere = python("import " + module + "; print('there')").equals("there\n");
        } catch (IOException noPython) {
            isThere = false;
        }
        assumeTrue(isThere, PYTHON + " has no " + module);
    }

    /** Reads every file with {@code columns}, which returns lists of values by name, and compares it with the CSV. */
    private String compared(String columns) throws IOException, InterruptedException {
        for (int rows : new int[] {0, 1, 9, 128, 129, 130, 3000}) {
            for (TableFormat format : new TableFormat[] {TableFormat.PARQUET, TableFormat.PARQUET_GZIP}) {
                Path csv = new TableFileTest().random(rows, rows);
                String name = rows + "-" + format;
                Files.write(dir.resolve(name + ".csv"), Files.readAllBytes(csv));
                Path packed = TableFile.pack(csv, TableFileTest.SCHEMA, format);
                Files.write(dir.resolve(name + ".parquet"), Files.readAllBytes(packed));
            }
        }
        return python(
                """
                import csv, glob
                %s
                kinds = dict(id=int, after=int, wait=int, mean=float, share=float)
                kinds.update(good=lambda text: text == 'true', maybe=lambda text: text == 'true')
                files = sorted(glob.glob('*.parquet'))
                for file in files:
                    rows = list(csv.reader(open(file.replace('.parquet', '.csv'), newline='', encoding='utf8')))
                    found = columns(file)
                    assert list(found) == rows[0], (file, found)
                    for i, name in enumerate(rows[0]):
                        expected = [None if row[i] == '' else kinds.get(name, str)(row[i]) for row in rows[1:]]
                        assert found[name] == expected, (file, name)
                print(len(files))
                """
                        .formatted(columns));
    }

    @Test
    void writesFilesThatArrowReads() throws Exception {
        assumeModule("pyarrow.parquet");
        assertThat(
                        compared(
                                """
                        import pyarrow.parquet as parquet
                        def columns(file):
                            return parquet.read_table(file).to_pydict()
                        """))
                .isEqualTo("14\n");
    }

    @Test
    void writesFilesThatDuckDbReads() throws Exception {
        assumeModule("duckdb");
        assertThat(
                        compared(
                                """
                        import duckdb
                        def columns(file):
                            found = duckdb.sql(f"from '{file}'")
                            rows = found.fetchall()
                            return {name: [row[i] for row in rows] for i, name in enumerate(found.columns)}
                        """))
                .isEqualTo("14\n");
    }
}
