package dev.stagesim.engine.tf.graph;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** Job from the parent process: keys and values; list keys have a numeric suffix. */
public final class Job {
    private final Properties values = new Properties();

    public Job(Path file) throws IOException {
        try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            values.load(in);
        }
    }

    public String text(String key) {
        String value = values.getProperty(key);
        if (value == null) {
            throw new IllegalArgumentException("the job has no " + key);
        }
        return value;
    }

    /** Returns the value of an optional key. */
    public String text(String key, String otherwise) {
        return values.getProperty(key, otherwise);
    }

    public int whole(String key) {
        return Integer.parseInt(text(key));
    }

    public double number(String key) {
        return Double.parseDouble(text(key));
    }

    public boolean flag(String key) {
        return Boolean.parseBoolean(text(key));
    }

    public List<String> list(String key) {
        List<String> all = new ArrayList<>();
        for (String one = values.getProperty(key + ".0");
                one != null;
                one = values.getProperty(key + "." + all.size())) {
            all.add(one);
        }
        return all;
    }

    public int[] wholes(String key) {
        return list(key).stream().mapToInt(Integer::parseInt).toArray();
    }
}
