package dev.stagesim.architecture;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Counts the lines of methods in source files, from the first of the declaration to the closing brace. */
final class MethodLengths {
    private MethodLengths() {}

    /** Lines of every method with a body, by {@code <file>:<line> <name>}. */
    static Map<String, Long> of(Iterable<? extends JavaFileObject> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask task = (JavacTask) compiler.getTask(null, null, null, null, null, sources);
        SourcePositions positions = Trees.instance(task).getSourcePositions();
        Map<String, Long> lengths = new TreeMap<>();
        for (CompilationUnitTree file : task.parse()) {
            file.accept(new Scanner(file, positions, lengths), null);
        }
        return lengths;
    }

    private static final class Scanner extends TreeScanner<@Nullable Void, @Nullable Void> {
        private final CompilationUnitTree file;
        private final SourcePositions positions;
        private final Map<String, Long> lengths;

        Scanner(CompilationUnitTree file, SourcePositions positions, Map<String, Long> lengths) {
            this.file = file;
            this.positions = positions;
            this.lengths = lengths;
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
            if (method.getBody() != null) {
                LineMap lines = file.getLineMap();
                long first = lines.getLineNumber(positions.getStartPosition(file, method));
                long last = lines.getLineNumber(positions.getEndPosition(file, method));
                String name = file.getSourceFile().getName() + ":" + first + " " + method.getName();
                lengths.put(name, last - first + 1);
            }
            return super.visitMethod(method, null);
        }
    }
}
