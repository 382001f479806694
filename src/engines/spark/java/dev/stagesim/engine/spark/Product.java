package dev.stagesim.engine.spark;

import java.io.File;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Loads the product in a separate class loader, because the product and Spark contain libraries with the same class
 * names.
 */
final class Product {
    private static final Map<String, Product> LOADED = new ConcurrentHashMap<>();

    private final ClassLoader loader;
    private final Method run;
    private final Method prepare;
    private final Method evaluate;
    private final Method count;

    private Product(String classPath) {
        String[] words = classPath.split(File.pathSeparator, -1);
        URL[] urls = new URL[words.length];
        try {
            for (int i = 0; i < words.length; i++) {
                urls[i] = new File(words[i]).toURI().toURL();
            }
            loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
            Class<?> remote = loader.loadClass("dev.stagesim.feature.spark.RemoteJob");
            run = remote.getMethod("run", String.class, String.class, String.class);
            prepare = remote.getMethod("prepare", String.class, String.class, String.class);
            evaluate = remote.getMethod("evaluate", String.class, String.class, String.class);
            count = remote.getMethod("count", InputStream.class, String.class);
        } catch (MalformedURLException | ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "the product cannot be loaded from " + classPath + ": every worker must see the installation", e);
        }
    }

    static Product of(String classPath) {
        return LOADED.computeIfAbsent(classPath, Product::new);
    }

    String run(String home, String workDir, String job) throws Exception {
        return call(run, home, workDir, job);
    }

    String prepare(String home, String workDir, String job) throws Exception {
        return call(prepare, home, workDir, job);
    }

    String evaluate(String home, String workDir, String job) throws Exception {
        return call(evaluate, home, workDir, job);
    }

    String count(InputStream in, String part) throws Exception {
        return call(count, in, part);
    }

    private String call(Method method, Object... words) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return (String) method.invoke(null, words);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
