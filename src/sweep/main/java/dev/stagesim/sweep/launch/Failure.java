package dev.stagesim.sweep.launch;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.StageException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** The reason why a job has no run, as in the job table: one line, equal wherever the job ran. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Creates a failure of another process. */
    public Failure(String words) {
        super(words);
    }

    public static String words(Throwable why, Path workDir) {
        if (why instanceof Failure elsewhere && elsewhere.getMessage() != null) {
            return elsewhere.getMessage();
        }
        String text = why instanceof StageException user
                ? user.problems().get(0).render()
                : why instanceof InvalidPathException name
                        ? InputFile.impossible(name).render()
                        : why instanceof OutOfMemoryError
                                ? "out of memory: " + why.getMessage()
                                : "internal error: " + why;
        int end = text.indexOf('\n');
        String line = end < 0 ? text : text.substring(0, end);
        return line.replace(workDir + workDir.getFileSystem().getSeparator(), "");
    }
}
