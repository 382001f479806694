package dev.stagesim.feature.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stagesim.model.StageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

final class SparkMasterTest {
    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static String rejected(String master) {
        StageException error = catchThrowableOfType(StageException.class, () -> SparkMaster.reach(master));
        assertThat(error.kind()).isEqualTo(StageException.Kind.INPUT);
        return error.problems().get(0).render();
    }

    @Test
    void reportsAnUnreachableMasterAtOnce() throws IOException {
        int port = closedPort();
        assertThat(rejected("spark://127.0.0.1:" + port))
                .contains("launcher.master")
                .contains("no Spark master responds at 127.0.0.1:" + port)
                .contains("start-master.sh");
        assertThat(rejected("spark://no-such-host.invalid:7077")).contains("no-such-host.invalid:7077");
        assertThat(rejected("spark://a b:1")).contains("spark://HOST:PORT");
        assertThat(rejected("spark://127.0.0.1:99999")).contains("no such port");
    }

    @Test
    void acceptsOneReachableMasterAndLeavesOtherKindsToSpark() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String both = "spark://127.0.0.1:" + closedPort() + ",127.0.0.1:" + socket.getLocalPort();
            assertThatCode(() -> SparkMaster.reach(both)).doesNotThrowAnyException();
        }
        assertThatCode(() -> SparkMaster.reach("local[2]")).doesNotThrowAnyException();
        assertThatCode(() -> SparkMaster.reach("yarn")).doesNotThrowAnyException();
    }
}
