package dev.stagesim.sweep.launch;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.StageException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** The reason why a job has no run, as one line of the job table. It does not depend on where the job ran. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Creates a failure of another process. */
    public Failure(String text) {
        super(text);
    }

    public static String describe(Throwable cause, Path workDir) {
        if (cause instanceof Failure elsewhere && elsewhere.getMessage() != null) {
            return elsewhere.getMessage();
        }
        String text = cause instanceof StageException user
                ? user.problems().get(0).render()
                : cause instanceof InvalidPathException name
                        ? InputFile.impossible(name).render()
                        : cause instanceof OutOfMemoryError
                                ? "out of memory: " + cause.getMessage()
                                : "internal error: " + cause;
        int end = text.indexOf('\n');
        String line = end < 0 ? text : text.substring(0, end);
        return line.replace(workDir + workDir.getFileSystem().getSeparator(), "");
    }
}
