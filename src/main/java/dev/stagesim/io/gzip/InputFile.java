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
 * Opens files that users name: regular ones only, because a device or a pipe may never end, and decompressed where they are
 * gzip. Damaged compression is the user's error.
 */
public final class InputFile {
    private static final String NOT_TEXT = "is not text in UTF-8";
    private static final int HEAD = 1 << 16;
    /** Enough to tell text in UTF-16 by; even. */
    private static final int WIDE_BYTES = 32;

    /** Files that are read whole are written by hand or small; larger ones would fill the heap. */
    private static final int MOST_WHOLE = 1 << 28;

    private InputFile() {}

    /**
     * Refuses everything but a regular file, and large files that begin with zeros, because reading them takes too long.
     * A missing file is not an error here.
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

    /** Whether a file begins as ASCII in UTF-16 does, without a byte order mark. */
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
            return false; // whoever opens the file will say why
        }
    }

    private static boolean isHole(Path file) {
        try {
            if (!Files.exists(file) || Files.size(file) <= MOST_WHOLE) {
                return false;
            }
            try (InputStream in = Files.newInputStream(file)) {
                return Arrays.equals(in.readNBytes(HEAD), new byte[HEAD]);
            }
        } catch (IOException unreadable) {
            return false; // whoever opens the file will say why
        }
    }

    /**
     * The content of a file.
     *
     * @throws java.nio.file.NoSuchFileException when there is none
     */
    public static InputStream open(Path file) throws IOException {
        try {
            MaybeGzip content = MaybeGzip.of(raw(regular(file)));
            return content.compressed() ? new Named(content.in(), file) : content.in();
        } catch (EOFException | ZipException damaged) {
            throw damaged(file, damaged);
        }
    }

    /** Refuses directories, devices, pipes and loops of links. */
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
            return; // the caller reports it
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

    /** The bytes of a regular file as they are; an error of reading names the file. */
    public static InputStream raw(Path file) throws IOException {
        refuseOther(file);
        try {
            return new Named(Files.newInputStream(file), file);
        } catch (AccessDeniedException denied) {
            throw unreadable(file, denied);
        }
    }

    /** All bytes of a regular file as they are. */
    public static byte[] rawBytes(Path file) throws IOException {
        try (InputStream in = raw(file)) {
            return whole(in, file);
        }
    }

    /** A regular file for reading at any place. */
    public static SeekableByteChannel channel(Path file) throws IOException {
        refuseOther(file);
        try {
            return Files.newByteChannel(file);
        } catch (AccessDeniedException denied) {
            throw unreadable(file, denied);
        }
    }

    /** The lines of a file of text in UTF-8. */
    public static BufferedReader lines(Path file) throws IOException {
        return new BufferedReader(new InputStreamReader(open(file), StandardCharsets.UTF_8.newDecoder()));
    }

    /** The whole content of a file. */
    public static byte[] bytes(Path file) throws IOException {
        try (InputStream in = open(file)) {
            return whole(in, file);
        }
    }

    private static byte[] whole(InputStream in, Path file) throws IOException {
        byte[] all = in.readNBytes(MOST_WHOLE + 1);
        if (all.length > MOST_WHOLE) {
            throw StageException.input(
                    Problem.artifact(file.toString(), "is larger than " + (MOST_WHOLE >> 20) + " MiB, expected less"));
        }
        return all;
    }

    /** The whole content of a file of text in UTF-8, without the mark that some programs begin it with. */
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

    /** Refuses what is text in UTF-16 or UTF-32, or none at all. */
    public static byte[] withoutNul(byte[] text, Path file) {
        for (byte b : text) {
            if (b == 0) {
                throw StageException.input(Problem.artifact(file.toString(), NOT_TEXT));
            }
        }
        return text;
    }

    /**
     * The file that a file names, which is beside it or has an absolute path.
     *
     * @param where what names it, for messages
     */
    public static Path beside(Path file, String name, String where) {
        try {
            return file.resolveSibling(name);
        } catch (InvalidPathException impossible) {
            throw StageException.input(impossible(impossible).from(where), impossible);
        }
    }

    /** Says that no file can have a name. */
    public static Problem impossible(InvalidPathException why) {
        String shown = why.getInput().replaceAll("\\p{Cc}|\\p{Cs}", "?");
        return Problem.config(shown, "no file can have this name: " + why.getReason());
    }

    private static StageException damaged(Path file, IOException why) {
        return StageException.input(
                Problem.artifact(file.toString(), "the file is cut off, or its compression is damaged"), why);
    }

    /**
     * Names the file that cannot be read, which the system's message does not: a bad disk, a lost mount. Says whose error damaged
     * compression is, wherever it shows.
     */
    private static final class Named extends FilterInputStream {
        private final Path file;

        Named(InputStream in, Path file) {
            super(in);
            this.file = file;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
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
