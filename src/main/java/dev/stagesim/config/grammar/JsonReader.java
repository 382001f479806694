package dev.stagesim.config.grammar;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** Reads strict JSON (RFC 8259) into values; integers of any size stay integers. */
final class JsonReader {
    private static final int DEEPEST = 200;

    private final String text;
    private int position;
    private int depth;

    JsonReader(String text) {
        this.text = text;
    }

    Value read() {
        Value value = value();
        blanks();
        if (position < text.length()) {
            throw unexpected("the end");
        }
        return value;
    }

    private Value value() {
        blanks();
        if (++depth > DEEPEST) {
            throw new CallFault("the JSON nests deeper than " + DEEPEST);
        }
        char c = Scan.at(text, position);
        Value value =
                switch (c) {
                    case '{' -> object();
                    case '[' -> array();
                    case '"' -> Serializer.asString(string());
                    case 't' -> word("true", BoolValue.of(true));
                    case 'f' -> word("false", BoolValue.of(false));
                    case 'n' -> word("null", NullValue.NULL);
                    default -> number();
                };
        depth--;
        return value;
    }

    private Value word(String word, Value value) {
        if (!text.startsWith(word, position)) {
            throw unexpected("a value");
        }
        position += word.length();
        return value;
    }

    private Value array() {
        position++;
        List<Value> items = new ArrayList<>();
        if (!accept(']')) {
            do {
                items.add(value());
            } while (accept(','));
            expect(']');
        }
        return new ListValue(items);
    }

    private Value object() {
        position++;
        List<DictValue.Entry> entries = new ArrayList<>();
        if (!accept('}')) {
            do {
                blanks();
                if (Scan.at(text, position) != '"') {
                    throw unexpected("a key in double quotes");
                }
                String key = string();
                expect(':');
                entries.add(new DictValue.Entry(Serializer.asKey(key), value()));
            } while (accept(','));
            expect('}');
        }
        return new DictValue(entries);
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        for (position++; position < text.length(); position++) {
            char c = text.charAt(position);
            if (c == '"') {
                position++;
                return out.toString();
            }
            if (c < 0x20) {
                throw unexpected("an escape such as \\n");
            }
            out.append(c == '\\' ? escape() : c);
        }
        throw unexpected("a closing quote");
    }

    private char escape() {
        position++;
        char c = Scan.at(text, position);
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw unexpected("an escape: \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u with four hex digits");
        };
    }

    private char unicode() {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(Scan.at(text, ++position), 16);
            if (digit < 0 || Scan.at(text, position) > 0x7f) {
                throw unexpected("four hex digits");
            }
            code = code * 16 + digit;
        }
        return (char) code;
    }

    private Value number() {
        int start = position;
        if (Scan.at(text, position) == '-') {
            position++;
        }
        int whole = position;
        digits();
        if (text.startsWith("0", whole) && position > whole + 1) {
            throw unexpected("a number without leading zeros");
        }
        boolean integer = true;
        if (Scan.at(text, position) == '.') {
            integer = false;
            position++;
            digits();
        }
        if (Scan.at(text, position) == 'e' || Scan.at(text, position) == 'E') {
            integer = false;
            char sign = Scan.at(text, position + 1);
            position += sign == '+' || sign == '-' ? 2 : 1;
            digits();
        }
        String number = text.substring(start, position);
        return integer ? IntValue.of(new BigInteger(number)) : FloatValue.of(Double.parseDouble(number));
    }

    private void digits() {
        if (!Scan.isDigit(Scan.at(text, position))) {
            throw unexpected("a value");
        }
        while (Scan.isDigit(Scan.at(text, position))) {
            position++;
        }
    }

    private void blanks() {
        while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
    }

    private boolean accept(char c) {
        blanks();
        boolean matches = Scan.at(text, position) == c;
        if (matches) {
            position++;
        }
        return matches;
    }

    private void expect(char c) {
        if (!accept(c)) {
            throw unexpected("'" + c + "'");
        }
    }

    private CallFault unexpected(String expected) {
        int at = Math.min(position, text.length());
        return new CallFault(
                "the JSON has " + Faults.show(text, at) + " at column " + (at + 1) + ", expected " + expected);
    }
}
