package dev.stagesim.feature.spark;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The address of a standalone master: Spark itself goes on asking for a minute when nobody is there. */
final class SparkMaster {
    private static final String SCHEME = "spark://";
    private static final Pattern ADDRESS = Pattern.compile("([^:/,\\s\\[\\]]+|\\[[0-9a-fA-F:]+])(?::([0-9]{1,5}))?");
    private static final int USUAL_PORT = 7077;
    private static final int PATIENCE_MS = 3000;

    private SparkMaster() {}

    /**
     * Refuses a standalone master that takes no connection; other kinds of master are left to Spark.
     *
     * @throws StageException (input) when none of the addresses answers, or one cannot be read
     */
    static void reach(String master) {
        if (!master.startsWith(SCHEME)) {
            return;
        }
        List<String> silent = new ArrayList<>();
        for (String address : master.substring(SCHEME.length()).split(",", -1)) {
            Matcher form = ADDRESS.matcher(address);
            if (!form.matches()) {
                throw StageException.input(
                        Problem.of("launcher error", "launcher.master", "'" + master + "' is no address")
                                .note("expected", "spark://HOST:PORT, or spark://HOST:PORT,HOST:PORT"));
            }
            int port = form.group(2) == null ? USUAL_PORT : Integer.parseInt(form.group(2));
            String why = trouble(form.group(1), port);
            if (why.isEmpty()) {
                return;
            }
            silent.add(form.group(1) + ":" + port + " (" + why + ")");
        }
        Problem problem = Problem.of(
                "launcher error", "launcher.master", "no master of Spark answers at " + String.join(", ", silent));
        throw StageException.input(
                problem.hint("start one with Spark's sbin/start-master.sh, which says its address; or"
                        + " leave launcher.master out for this machine's cores"));
    }

    private static String trouble(String host, int port) {
        if (port > 65_535) {
            return "there is no such port";
        }
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), PATIENCE_MS);
            return "";
        } catch (IOException e) {
            return e.getMessage() == null ? e.toString() : e.getMessage();
        } catch (IllegalArgumentException e) {
            return "no such host";
        }
    }
}
