package dev.stagesim.io.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Databases that would cause a hang or fill the heap. */
class HostileDatabaseTest {
    private static final int PAGE = 512;

    private final Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/d.sqlite");

    private static ByteBuffer database(int pages) {
        ByteBuffer all = ByteBuffer.allocate(pages * PAGE);
        all.put("SQLite format 3\u0000".getBytes(StandardCharsets.US_ASCII)).putShort((short) PAGE);
        all.putInt(56, 1);
        return all;
    }

    private void rejected(ByteBuffer database, String why) throws IOException {
        byte[] bytes = new byte[database.capacity()];
        database.rewind().get(bytes);
        Files.write(file, bytes);
        assertThatThrownBy(() -> SqliteFile.open(file))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("d.sqlite")
                .hasMessageContaining(why);
    }

    /** All cells of an inner page point to its parent, which causes 2^depth visits without a limit. */
    @Test
    void rejectsCyclesOfPages() throws IOException {
        ByteBuffer all = database(20);
        for (int page = 0; page < 20; page++) {
            int start = page * PAGE + (page == 0 ? 100 : 0);
            all.put(start, (byte) 5).putShort(start + 3, (short) 20).putInt(start + 8, 2);
            for (int cell = 0; cell < 20; cell++) {
                all.putShort(start + 12 + 2 * cell, (short) 400).putInt(page * PAGE + 400, (page + 1) % 20 + 1);
            }
        }
        rejected(all, "cycle");
    }

    @Test
    void rejectsARowLargerThanTheFileBeforeReading() throws IOException {
        for (byte[] length : new byte[][] {
            {(byte) 0x87, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f},
            {-1, -1, -1, -1, -1, -1, -1, -1, -1}
        }) {
            ByteBuffer all = database(1);
            all.put(100, (byte) 13).putShort(103, (short) 1).putShort(108, (short) 300);
            all.position(300);
            all.put(length).put((byte) 1);
            rejected(all, "a row of");
        }
    }

    @Test
    void rejectsCyclesOfOverflowPages() throws IOException {
        ByteBuffer all = database(4);
        all.put(100, (byte) 13).putShort(103, (short) 1).putShort(108, (short) 300);
        all.position(300);
        all.put((byte) 0x8f).put((byte) 0x70).put((byte) 1);
        for (int at = 303; at < PAGE; at++) {
            all.put(at, (byte) 0);
        }
        for (int at = 302; at < PAGE - 3; at++) {
            all.putInt(at, at == 302 ? 0 : 2);
        }
        all.putInt(PAGE, 2);
        rejected(all, "");
    }

    @Test
    void readsOrRejectsMutatedDatabases() throws IOException {
        byte[] good = Files.readAllBytes(Path.of("tests-data/fuzz/sqlite/small.sqlite"));
        Random random = new Random(4);
        int read = 0;
        for (int i = 0; i < 3000; i++) {
            byte[] bad = good.clone();
            for (int k = random.nextInt(4); k >= 0; k--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            Files.write(file, bad);
            try (SqliteFile database = SqliteFile.open(file)) {
                for (String table : database.tables()) {
                    database.rows(table, row -> {});
                }
                read++;
            } catch (StageException wrong) {
                assertThat(wrong.kind()).isEqualTo(StageException.Kind.INPUT);
            }
        }
        assertThat(read).isBetween(1, 2999);
    }
}
