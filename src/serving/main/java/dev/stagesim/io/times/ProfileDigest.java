package dev.stagesim.io.times;

import dev.stagesim.io.digest.Sha256;
import dev.stagesim.predict.Curve;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.Profile;
import dev.stagesim.predict.Surface;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** SHA-256 over the training data of a predictor: every row of a profile, in order. */
public final class ProfileDigest {
    private final Sha256 digest = new Sha256();

    private ProfileDigest() {}

    /** Returns the digest in hex. It does not depend on the profile's name. */
    public static String of(Profile profile) {
        ProfileDigest all = new ProfileDigest();
        for (Map.Entry<Operator, Curve> entry : profile.curves().entrySet()) {
            all.text(entry.getKey().column());
            all.add(entry.getValue());
        }
        all.text("prefill");
        all.add(profile.prefill());
        all.text("decode");
        all.add(profile.decode());
        return all.digest.hex();
    }

    static String of(String text) {
        return Sha256.hex(text);
    }

    private void text(String text) {
        digest.update((text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private void add(Curve curve) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * Double.BYTES * curve.rows());
        for (int i = 0; i < curve.rows(); i++) {
            bytes.putDouble(curve.size(i)).putDouble(curve.milliseconds(i));
        }
        digest.update(bytes.array());
    }

    private void add(Surface surface) {
        ByteBuffer bytes = ByteBuffer.allocate((2 * Integer.BYTES + Double.BYTES) * surface.rows());
        for (int i = 0; i < surface.rows(); i++) {
            bytes.putInt(surface.kvTokens(i)).putInt(surface.count(i)).putDouble(surface.milliseconds(i));
        }
        digest.update(bytes.array());
    }
}
