package dev.stagesim.io.digest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class Sha256Test {
    private static final String OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @Test
    void returnsTheDigestsOfTheStandard() {
        assertThat(Sha256.hex("abc")).isEqualTo(OF_ABC);
    }

    @Test
    void addsBytesInPieces() {
        Sha256 digest = new Sha256();
        digest.update("Xab".getBytes(StandardCharsets.UTF_8), 1, 2);
        digest.update("c".getBytes(StandardCharsets.UTF_8));
        assertThat(digest.hex()).isEqualTo(OF_ABC).isNotEqualTo(digest.hex());
    }
}
