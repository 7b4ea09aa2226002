package dev.sandglass.network.intercept;

import dev.sandglass.engine.key.KeyFile;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.ECParameterSpec;
import java.security.AlgorithmParameters;
import java.security.spec.ECGenParameterSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.crypto.ec.CustomNamedCurves;

/**
 * The authorities of sandboxes, all from one key of the host: what a sandbox has of its own is a word that is no secret, and travels with its disk and its memory, so that
 * processes that go on in a copy find the authority that they trust. The key is in a file that no sandbox sees. Thread-safe.
 */
public final class Authorities {
    /** More than the order of the curve has, so that no remainder is likelier than another. */
    private static final int SCALAR_BYTES = 48;

    private static final String CURVE = "secp256r1";

    private static final int MOST_KNOWN = 64;

    private final byte[] key;
    /** A new sandbox is told of its authority, then its gateway gets it. */
    private final Map<String, Authority> known = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Authority> eldest) {
            return size() > MOST_KNOWN;
        }
    };

    private Authorities(byte[] key) {
        this.key = key;
    }

    /** Those of the key in a file, which is made if there is none. */
    public static Authorities at(Path file) {
        return new Authorities(new KeyFile(file, "key file of the gateway", "Put the file back that was there, or remove it: then sandboxes trust its successor when they are started anew.").readOrCreate());
    }

    /** The authority of a word: the same each time. */
    public Authority of(String word) throws IOException {
        synchronized (known) {
            Authority found = known.get(word);
            if (found != null) {
                return found;
            }
        }
        Authority made = make(word);
        synchronized (known) {
            known.put(word, made);
        }
        return made;
    }

    private Authority make(String word) throws IOException {
        try {
            HKDFParameterSpec derivation = HKDFParameterSpec.ofExtract().addIKM(key).thenExpand(("sandglass authority " + word).getBytes(StandardCharsets.UTF_8), SCALAR_BYTES);
            return Authority.of(word, pair(new BigInteger(1, KDF.getInstance("HKDF-SHA256").deriveData(derivation))));
        } catch (GeneralSecurityException problem) {
            throw new IOException("No authority can be made: " + problem.getMessage(), problem);
        }
    }

    private static KeyPair pair(BigInteger drawn) throws GeneralSecurityException {
        X9ECParameters curve = CustomNamedCurves.getByName(CURVE);
        BigInteger scalar = drawn.mod(curve.getN().subtract(BigInteger.ONE)).add(BigInteger.ONE);
        org.bouncycastle.math.ec.ECPoint point = curve.getG().multiply(scalar).normalize();
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec(CURVE));
        ECParameterSpec spec = parameters.getParameterSpec(ECParameterSpec.class);
        ECPoint place = new ECPoint(point.getAffineXCoord().toBigInteger(), point.getAffineYCoord().toBigInteger());
        KeyFactory keys = KeyFactory.getInstance("EC");
        return new KeyPair(keys.generatePublic(new ECPublicKeySpec(place, spec)), keys.generatePrivate(new ECPrivateKeySpec(scalar, spec)));
    }
}
