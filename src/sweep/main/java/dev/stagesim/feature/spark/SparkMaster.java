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

/** Checks the address of a standalone master, because Spark itself retries for a minute when no master responds. */
final class SparkMaster {
    private static final String SCHEME = "spark://";
    private static final Pattern ADDRESS = Pattern.compile("([^:/,\\s\\[\\]]+|\\[[0-9a-fA-F:]+])(?::([0-9]{1,5}))?");
    private static final int DEFAULT_PORT = 7077;
    private static final int TIMEOUT_MS = 3000;

    private SparkMaster() {}

    /**
     * Fails if a standalone master accepts no connection. Other kinds of master are not checked.
     *
     * @throws StageException (input) if none of the addresses responds, or one is malformed
     */
    static void reach(String master) {
        if (!master.startsWith(SCHEME)) {
            return;
        }
        List<String> unreachable = new ArrayList<>();
        for (String address : master.substring(SCHEME.length()).split(",", -1)) {
            Matcher form = ADDRESS.matcher(address);
            if (!form.matches()) {
                throw StageException.input(
                        Problem.of("launcher error", "launcher.master", "'" + master + "' is not an address")
                                .note("expected", "spark://HOST:PORT, or spark://HOST:PORT,HOST:PORT"));
            }
            int port = form.group(2) == null ? DEFAULT_PORT : Integer.parseInt(form.group(2));
            String reason = failure(form.group(1), port);
            if (reason.isEmpty()) {
                return;
            }
            unreachable.add(form.group(1) + ":" + port + " (" + reason + ")");
        }
        Problem problem = Problem.of(
                "launcher error", "launcher.master", "no Spark master responds at " + String.join(", ", unreachable));
        throw StageException.input(
                problem.hint("start one with Spark's sbin/start-master.sh, which prints its address; or"
                        + " omit launcher.master to use the cores of this machine"));
    }

    private static String failure(String host, int port) {
        if (port > 65_535) {
            return "there is no such port";
        }
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MS);
            return "";
        } catch (IOException e) {
            return e.getMessage() == null ? e.toString() : e.getMessage();
        } catch (IllegalArgumentException e) {
            return "no such host";
        }
    }
}
