package dev.stagesim.io.sqlite;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The pages of a database file, each read when it is asked for. */
final class Pages implements Closeable {
    private static final String MAGIC = "SQLite format 3\u0000";
    private static final int HEADER = 100;
    private static final int UTF_8 = 1;
    private static final int WAL = 2;

    private final Path file;
    private final SeekableByteChannel channel;
    private final int size;
    private final int usable;
    private final long count;

    private Pages(Path file, SeekableByteChannel channel, ByteBuffer header) throws IOException {
        this.file = file;
        this.channel = channel;
        int stated = header.getShort(16) & 0xffff;
        this.size = stated == 1 ? 1 << 16 : stated;
        this.usable = size - (header.get(20) & 0xff);
        this.count = channel.size() / Math.max(1, size);
    }

    static Pages open(Path file) throws IOException {
        SeekableByteChannel channel = Files.newByteChannel(file);
        try {
            ByteBuffer header = ByteBuffer.allocate(HEADER);
            fill(header, channel);
            if (header.hasRemaining()
                    || !new String(header.array(), 0, MAGIC.length(), StandardCharsets.ISO_8859_1).equals(MAGIC)) {
                throw broken(file, "is no SQLite database");
            }
            Pages pages = new Pages(file, channel, header);
            if (pages.size < 512 || pages.usable < 480) {
                throw broken(file, "states a page size of " + pages.size);
            }
            int encoding = header.getInt(56);
            if (encoding != UTF_8 && encoding != 0) {
                throw broken(file, "holds text in UTF-16, expected UTF-8");
            }
            Path log = file.resolveSibling(file.getFileName() + "-wal");
            if (header.get(18) == WAL && Files.exists(log) && Files.size(log) > 0) {
                throw broken(file, "has a write-ahead log beside it: part of the data is there");
            }
            return pages;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    static StageException broken(Path file, String what) {
        return StageException.input(Problem.of("artifact error", file.toString(), what));
    }

    StageException broken(String what) {
        return broken(file, what);
    }

    /** Bytes of a page that hold content. */
    int usable() {
        return usable;
    }

    /** A page by its number, from 1. */
    ByteBuffer page(long number) throws IOException {
        if (number < 1 || number > count) {
            throw broken("is cut off: there is no page " + number + " of " + count);
        }
        ByteBuffer page = ByteBuffer.allocate(size);
        channel.position((number - 1) * size);
        fill(page, channel);
        return page.rewind();
    }

    /** Reads until the buffer is full or the file ends. */
    private static void fill(ByteBuffer buffer, SeekableByteChannel channel) throws IOException {
        int got = 0;
        while (buffer.hasRemaining() && got >= 0) {
            got = channel.read(buffer);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
