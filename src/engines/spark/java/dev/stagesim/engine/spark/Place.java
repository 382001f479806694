package dev.stagesim.engine.spark;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Location of the product and of runs: a working directory that all workers share, or a directory through which runs
 * are copied.
 */
final class Place implements Serializable {
    private static final long serialVersionUID = 1;
    private static final String RUNS = "tmp";

    /** Runs that this process has copied. */
    private static final Set<String> PASSED = ConcurrentHashMap.newKeySet();

    private static volatile String scratch = "";

    private final String home;
    private final String shared;
    private final String results;
    private final String classPath;

    Place(String home, String shared, String results, String classPath) {
        this.home = home;
        this.shared = shared;
        this.results = results;
        this.classPath = classPath;
    }

    String home() {
        return home;
    }

    String classPath() {
        return classPath;
    }

    /** Returns the shared directory, or a private one if runs are copied. */
    String workDir() throws IOException {
        return results.isEmpty() ? shared : scratch();
    }

    private static synchronized String scratch() throws IOException {
        if (scratch.isEmpty()) {
            File folder = Files.createTempDirectory("stagesim").toFile();
            FileSystem local = FileSystem.getLocal(new Configuration());
            local.deleteOnExit(new Path(folder.toURI()));
            scratch = folder.getPath();
        }
        return scratch;
    }

    /** Worker side: opens a file of a run from a byte offset. */
    InputStream open(String file, long from) throws IOException {
        if (results.isEmpty()) {
            FileInputStream in = new FileInputStream(new File(new File(shared, RUNS), file));
            in.getChannel().position(from);
            return in;
        }
        Path root = new Path(URI.create(results));
        FSDataInputStream in = root.getFileSystem(new Configuration()).open(new Path(root, file));
        in.seek(from);
        return in;
    }

    /** Driver side: returns the machines that store a part of a file of a run; empty if unknown. */
    List<String> hosts(String file, long from, long bytes) throws IOException {
        if (results.isEmpty()) {
            return List.of();
        }
        Path root = new Path(URI.create(results));
        FileSystem files = root.getFileSystem(new Configuration());
        Path path = new Path(root, file);
        if (!files.exists(path)) {
            return List.of();
        }
        BlockLocation[] blocks = files.getFileBlockLocations(files.getFileStatus(path), from, bytes);
        return blocks.length == 0 ? List.of() : List.of(blocks[0].getHosts());
    }

    /** Worker side: copies the runs of a reply to the results directory. */
    void bring(String answer) throws IOException {
        if (results.isEmpty()) {
            return;
        }
        Path root = new Path(URI.create(results));
        FileSystem files = root.getFileSystem(new Configuration());
        for (String run : runs(answer)) {
            Path target = new Path(root, run);
            if (PASSED.contains(run) || files.exists(target)) {
                continue;
            }
            Path partial = new Path(target.getParent(), "." + target.getName() + "." + UUID.randomUUID());
            files.mkdirs(target.getParent());
            files.copyFromLocalFile(new Path(new File(scratch() + "/" + RUNS + "/" + run).toURI()), partial);
            if (files.exists(target) || !files.rename(partial, target)) {
                files.delete(partial, true);
            }
            // If two moves run at once, the later one is placed inside the first one's directory.
            files.delete(new Path(target, partial.getName()), true);
            PASSED.add(run);
        }
    }

    /** Driver side: copies the runs of a reply to the location that the parent process reads. */
    void fetch(String answer) throws IOException {
        if (results.isEmpty()) {
            return;
        }
        Path root = new Path(URI.create(results));
        FileSystem files = root.getFileSystem(new Configuration());
        for (String run : runs(answer)) {
            File here = new File(shared + "/" + RUNS + "/.cache/spark/" + RUNS + "/" + run);
            if (!here.exists()) {
                File partial = new File(here.getParentFile(), "." + here.getName() + "." + UUID.randomUUID());
                here.getParentFile().mkdirs();
                files.copyToLocalFile(false, new Path(root, run), new Path(partial.toURI()), true);
                Files.move(partial.toPath(), here.toPath());
            }
        }
    }

    private static Iterable<String> runs(String answer) {
        String[] words = answer.split("\t", -1);
        boolean hasRuns = words[0].equals("done") || words[0].equals("reused");
        return hasRuns ? Arrays.asList(words).subList(1, words.length) : Set.of();
    }
}
