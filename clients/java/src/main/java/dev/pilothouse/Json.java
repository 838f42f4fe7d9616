package dev.pilothouse;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** As much of JSON as the test endpoint needs: the JDK has none. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(String text) {
    return (Map<String, Object>) new Json(text).value();
  }

  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> objects(String text) {
    return (List<Map<String, Object>>) new Json(text).value();
  }

  static String text(Object value) {
    StringBuilder into = new StringBuilder();
    write(into, value);
    return into.toString();
  }

  private static void write(StringBuilder into, Object value) {
    if (value instanceof Map<?, ?> map) {
      String before = "{";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        into.append(before);
        write(into, String.valueOf(entry.getKey()));
        write(into.append(':'), entry.getValue());
        before = ",";
      }
      into.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof Iterable<?> list) {
      into.append('[');
      String before = "";
      for (Object each : list) {
        write(into.append(before), each);
        before = ",";
      }
      into.append(']');
    } else if (value instanceof String string) {
      into.append('"');
      for (char c : string.toCharArray()) {
        if (c == '"' || c == '\\') into.append('\\').append(c);
        else if (c < ' ') into.append(String.format("\\u%04x", (int) c));
        else into.append(c);
      }
      into.append('"');
    } else {
      into.append(value);
    }
  }

  private Object value() {
    char c = next();
    switch (c) {
      case '{':
        return map();
      case '[':
        return list();
      case '"':
        return string();
      default:
        at--;
        return literal();
    }
  }

  private Map<String, Object> map() {
    Map<String, Object> map = new LinkedHashMap<>();
    while (next() != '}') {
      if (text.charAt(at - 1) == ',') next();
      String key = string();
      next();
      map.put(key, value());
    }
    return map;
  }

  private List<Object> list() {
    List<Object> list = new ArrayList<>();
    for (char c = next(); c != ']'; c = next()) {
      if (c != ',') at--;
      list.add(value());
    }
    return list;
  }

  private String string() {
    StringBuilder read = new StringBuilder();
    for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
      if (c != '\\') {
        read.append(c);
        continue;
      }
      char escaped = text.charAt(at++);
      if (escaped == 'u') {
        read.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
        at += 4;
      } else {
        int known = "bfnrt".indexOf(escaped);
        read.append(known < 0 ? escaped : "\b\f\n\r\t".charAt(known));
      }
    }
    return read.toString();
  }

  private Object literal() {
    int start = at;
    while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) at++;
    String word = text.substring(start, at);
    if (word.equals("null")) return null;
    if (word.equals("true") || word.equals("false")) return Boolean.valueOf(word);
    return Double.valueOf(word);
  }

  /** The next character that is no space. */
  private char next() {
    while (Character.isWhitespace(text.charAt(at))) at++;
    return text.charAt(at++);
  }
}
