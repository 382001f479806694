package dev.stagesim.io.gzip;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.ZipException;

/**
 * Opens files named by users. Only regular files are accepted, because a device or a pipe may never end. Gzip is
 * decompressed; damaged compression is an input error.
 */
public final class InputFile {
    private static final String NOT_TEXT = "is not text in UTF-8";
    private static final int HEAD = 1 << 16;
    /** Bytes that are inspected to detect UTF-16; even. */
    private static final int WIDE_BYTES = 32;

    /** Maximum size in bytes of a file that is read into memory. */
    private static final int MAX_WHOLE_BYTES = 1 << 28;

    private InputFile() {}

    /**
     * Rejects files that are not regular, and large files that begin with zeros, because reading them takes too long. A
     * missing file is not an error here.
     */
    public static Path regular(Path file) {
        refuseOther(file);
        if (isHole(file)) {
            throw StageException.input(Problem.artifact(file.toString(), "begins with " + HEAD + " zero bytes"));
        }
        if (isWide(file)) {
            throw StageException.input(Problem.artifact(
                            file.toString(), "looks like text in UTF-16 (every second byte is zero), expected UTF-8")
                    .hint("iconv -f UTF-16LE -t UTF-8, or save it as UTF-8"));
        }
        return file;
    }

    /** True if a file begins with ASCII text in UTF-16 without a byte order mark. */
    private static boolean isWide(Path file) {
        try (InputStream in = Files.exists(file) ? Files.newInputStream(file) : InputStream.nullInputStream()) {
            byte[] head = in.readNBytes(WIDE_BYTES);
            int[] zeros = new int[2];
            for (int i = 0; i < head.length; i++) {
                if (head[i] < 0 || (head[i] > 0 && head[i] < '\t')) {
                    return false;
                }
                zeros[i % 2] += head[i] == 0 ? 1 : 0;
            }
            int half = head.length / 2;
            return half > 3 && zeros[0] + zeros[1] == half && (zeros[0] == half || zeros[1] == half);
        } catch (IOException unreadable) {
            return false; // opening the file reports the error
        }
    }

    private static boolean isHole(Path file) {
        try {
            if (!Files.exists(file) || Files.size(file) <= MAX_WHOLE_BYTES) {
                return false;
            }
            try (InputStream in = Files.newInputStream(file)) {
                return Arrays.equals(in.readNBytes(HEAD), new byte[HEAD]);
            }
        } catch (IOException unreadable) {
            return false; // opening the file reports the error
        }
    }

    /**
     * Opens the content of a file.
     *
     * @throws java.nio.file.NoSuchFileException if the file does not exist
     */
    public static InputStream open(Path file) throws IOException {
        try {
            MaybeGzip content = MaybeGzip.of(raw(regular(file)));
            return content.compressed() ? new Named(content.in(), file) : content.in();
        } catch (EOFException | ZipException damaged) {
            throw damaged(file, damaged);
        }
    }

    /** Rejects directories, devices, pipes and loops of links. */
    private static void refuseOther(Path file) {
        if (Files.isRegularFile(file)) {
            return;
        }
        if (Files.exists(file)) {
            boolean isFolder = Files.isDirectory(file);
            throw StageException.input(Problem.artifact(
                            file.toString(),
                            isFolder ? "is a directory, expected a file" : "is a device or a pipe, expected a file")
                    .hint(isFolder ? "name a file in it" : "write the data to a file and name that"));
        }
        try {
            file.getFileSystem().provider().checkAccess(file);
        } catch (NoSuchFileException missing) {
            return; // the caller reports the error
        } catch (IOException loop) {
            throw unreadable(file, loop);
        }
    }

    private static StageException unreadable(Path file, IOException why) {
        String reason = why instanceof AccessDeniedException
                ? "you have no permission to read it"
                : why instanceof FileSystemException named && named.getReason() != null
                        ? named.getReason()
                        : why.getClass().getSimpleName();
        return StageException.input(Problem.artifact(file.toString(), "cannot be read: " + reason), why);
    }

    /** Opens the unchanged bytes of a regular file. Read errors name the file. */
    public static InputStream raw(Path file) throws IOException {
        refuseOther(file);
        try {
            return new Named(Files.newInputStream(file), file);
        } catch (AccessDeniedException denied) {
            throw unreadable(file, denied);
        }
    }

    /** Returns the unchanged bytes of a regular file. */
    public static byte[] rawBytes(Path file) throws IOException {
        try (InputStream in = raw(file)) {
            return whole(in, file);
        }
    }

    /** Opens a regular file for random access. */
    public static SeekableByteChannel channel(Path file) throws IOException {
        refuseOther(file);
        try {
            return Files.newByteChannel(file);
        } catch (AccessDeniedException denied) {
            throw unreadable(file, denied);
        }
    }

    /** Opens a UTF-8 text file. */
    public static BufferedReader lines(Path file) throws IOException {
        return new BufferedReader(new InputStreamReader(open(file), StandardCharsets.UTF_8.newDecoder()));
    }

    /** Returns the content of a file. */
    public static byte[] bytes(Path file) throws IOException {
        try (InputStream in = open(file)) {
            return whole(in, file);
        }
    }

    private static byte[] whole(InputStream in, Path file) throws IOException {
        byte[] all = in.readNBytes(MAX_WHOLE_BYTES + 1);
        if (all.length > MAX_WHOLE_BYTES) {
            throw StageException.input(Problem.artifact(
                    file.toString(), "is larger than " + (MAX_WHOLE_BYTES >> 20) + " MiB, expected less"));
        }
        return all;
    }

    /** Returns the content of a UTF-8 text file without a byte order mark. */
    public static String text(Path file) throws IOException {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(withoutNul(bytes(file), file)))
                    .toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException notText) {
            throw StageException.input(Problem.artifact(file.toString(), NOT_TEXT), notText);
        }
    }

    /** Rejects text in UTF-16 or UTF-32, and binary data. */
    public static byte[] withoutNul(byte[] text, Path file) {
        for (byte b : text) {
            if (b == 0) {
                throw StageException.input(Problem.artifact(file.toString(), NOT_TEXT));
            }
        }
        return text;
    }

    /**
     * Resolves a file name in a file: an absolute path, or relative to the directory of that file.
     *
     * @param where location of the name, for messages
     */
    public static Path beside(Path file, String name, String where) {
        try {
            return file.resolveSibling(name);
        } catch (InvalidPathException impossible) {
            throw StageException.input(impossible(impossible).from(where), impossible);
        }
    }

    /** Returns the problem of a name that no file can have. */
    public static Problem impossible(InvalidPathException why) {
        String shown = why.getInput().replaceAll("\\p{Cc}|\\p{Cs}", "?");
        return Problem.config(shown, "no file can have this name: " + why.getReason());
    }

    private static StageException damaged(Path file, IOException why) {
        return StageException.input(
                Problem.artifact(file.toString(), "the file is cut off, or its compression is damaged"), why);
    }

    /**
     * Adds the file name to read errors of the system, such as a bad disk or a lost mount, and turns damaged compression
     * into an input error.
     */
    private static final class Named extends FilterInputStream {
        private final Path file;

        Named(InputStream in, Path file) {
            super(in);
            this.file = file;
        }

        @Override
        public int read() throws IOException {
            byte[] buffer = new byte[1];
            return read(buffer, 0, 1) < 0 ? -1 : buffer[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            try {
                return super.read(bytes, offset, length);
            } catch (EOFException | ZipException damaged) {
                throw damaged(file, damaged);
            } catch (FileSystemException named) {
                throw named;
            } catch (IOException unreadable) {
                FileSystemException named = new FileSystemException(file.toString(), null, unreadable.getMessage());
                named.initCause(unreadable);
                throw named;
            }
        }
    }
}
