package dev.stagesim.model;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Creates names of files and folders from text. A name never leads out of its folder and is legal on every file system.
 *
 * <p>A text that is already a legal name is not changed. In other texts, unusual characters are replaced and a digest is
 * appended, so that different texts have different names.
 */
public final class PathPart {
    private static final int MAX_LENGTH = 100;
    private static final int MAX_LABEL = 63;
    private static final int DIGEST_BYTES = 4;
    private static final int DIGEST_LENGTH = 2 * DIGEST_BYTES + 1;
    private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9_.+=@,-]*[A-Za-z0-9_+=@,-])?");

    /** Device names of Windows with any extension. */
    private static final Pattern DEVICE =
            Pattern.compile("(con|prn|aux|nul|com\\d|lpt\\d)(\\..*)?", Pattern.CASE_INSENSITIVE);

    private PathPart() {}

    /** Returns true if the text is a name that every file system accepts. */
    public static boolean isSafe(String text) {
        return text.length() <= MAX_LENGTH
                && SAFE.matcher(text).matches()
                && !DEVICE.matcher(text).matches();
    }

    /** Returns a message about a text that is not a legal name. */
    public static String expected(String text) {
        return "expected a file name of at most " + MAX_LENGTH
                + " letters, digits and _ . + = @ , - (no . or - first, no ."
                + " last, no name of a device such as nul), got " + text;
    }

    /** Returns the name of a file or folder for a text. */
    public static String of(String text) {
        if (isSafe(text)) {
            return text;
        }
        String plain = text.replaceAll("[^A-Za-z0-9_.+=@,-]+", "_").replaceAll("^[_.-]+|[_.-]+$", "");
        String start = DEVICE.matcher(plain).matches() ? "_" + plain : plain;
        return cut(start, MAX_LENGTH - DIGEST_LENGTH) + (start.isEmpty() ? "" : "-") + digest(text);
    }

    /** Returns the name of a card as a folder and as an option: lower-case letters, digits and underscores. */
    public static String slug(String name) {
        return of(name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "_"));
    }

    /** Returns the folder of a model: a publisher and a name, or one name. */
    public static String model(String name) {
        String[] parts = name.split("/", -1);
        return parts.length == 2 && isSafe(parts[0]) && isSafe(parts[1]) ? name : of(name);
    }

    /** Returns a text as a label of DNS, as Kubernetes requires for names. */
    public static String label(String text) {
        String plain =
                text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        boolean isLong = plain.length() > MAX_LABEL;
        return plain.isEmpty()
                ? "x" + digest(text)
                : isLong ? cut(plain, MAX_LABEL - DIGEST_LENGTH) + "-" + digest(text) : plain;
    }

    private static String cut(String text, int length) {
        return text.length() > length ? text.substring(0, length) : text;
    }

    private static String digest(String text) {
        try {
            byte[] all = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(all, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
