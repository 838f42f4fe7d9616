package dev.pilothouse;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A throw-away Kubernetes API server for tests: a real one, in memory, that can be put back, forked and broken on purpose. It needs the
 * program pilothouse (npm install pilothouse-apiserver, or the single executable; PILOTHOUSE names it) and nothing but the JDK.
 */
public final class PilothouseServer implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Process process;
  private final String testEndpoint;
  private final String url;
  private final String token;
  private final String kubeconfig;

  private PilothouseServer(Map<String, Object> description, Process process) {
    this.process = process;
    this.url = (String) description.get("url");
    this.token = (String) description.get("token");
    this.kubeconfig = (String) description.get("kubeconfig");
    this.testEndpoint = (String) description.get("testEndpoint");
  }

  /** Starts a server; the flags are those of kube-apiserver. It ends with {@link #close}, or when this process does. */
  public static PilothouseServer start(String... flags) {
    String program = System.getenv().getOrDefault("PILOTHOUSE", "pilothouse");
    List<String> command = new ArrayList<>(List.of(program.split(" ")));
    command.addAll(List.of("test", "--json", "--test-endpoint=127.0.0.1:0"));
    command.addAll(List.of(flags));
    try {
      Process process = new ProcessBuilder(command).start();
      BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
      String line = output.readLine();
      if (line != null) return new PilothouseServer(Json.object(line), process);
      String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      throw new PilothouseException(0, "pilothouse did not start: " + said.strip());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  public String url() {
    return url;
  }

  public String token() {
    return token;
  }

  /** Of an administrator, as YAML. */
  public String kubeconfig() {
    return kubeconfig;
  }

  /** Puts everything back to the start: objects, clock, faults, recorded requests. */
  public void reset() {
    call("POST", "/reset", "{}");
  }

  /** Puts everything back to a snapshot. */
  public void reset(String snapshot) {
    call("POST", "/reset", Json.text(Map.of("to", snapshot)));
  }

  /** Remembers the present state under a name. It copies nothing. */
  public void snapshot(String name) {
    call("POST", "/snapshot", Json.text(Map.of("name", name)));
  }

  /** An independent server that begins with the same state. */
  public PilothouseServer fork() {
    return new PilothouseServer(Json.object(call("POST", "/fork", "{}")), null);
  }

  /** Applies a manifest, YAML or JSON. Definitions of custom resources go first and are waited for. */
  public void apply(String manifest) {
    call("POST", "/apply", manifest);
  }

  /** The token of a user with a name and groups. */
  public String userToken(String name, String... groups) {
    return (String) Json.object(call("POST", "/users", Json.text(Map.of("name", name, "groups", List.of(groups))))).get("token");
  }

  /** Breaks requests that match, such as {@code Map.of("verb", "list", "error", 503, "times", 1)}. Returns its id. */
  public String addFault(Map<String, ?> fault) {
    return (String) Json.object(call("POST", "/faults", Json.text(fault))).get("id");
  }

  /** Mends it again, and tells how many requests were hit. */
  public int removeFault(String id) {
    return ((Number) Json.object(call("DELETE", "/faults/" + id, "")).get("hits")).intValue();
  }

  /** The requests that match, as the test endpoint shows them, oldest first. */
  public List<Map<String, Object>> requests(Map<String, String> match) {
    String query =
        match.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    return Json.objects(call("GET", "/requests?" + query, ""));
  }

  /** The server's clock. */
  public Instant now() {
    return Instant.ofEpochMilli(((Number) Json.object(call("GET", "/clock", "")).get("now")).longValue());
  }

  /** Moves the server's clock. Whatever is due by then happens in order. */
  public void advance(Duration by) {
    call("POST", "/clock/advance", Json.text(Map.of("ms", by.toMillis())));
  }

  /** Returns when the server's own controllers have nothing to do. */
  public void settled() {
    call("POST", "/settled", "{}");
  }

  /** Ends the server, or the fork, and everything in it. */
  @Override
  public void close() {
    if (process == null) {
      call("DELETE", "/", "");
      return;
    }
    try {
      process.getOutputStream().close();
      process.waitFor();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      process.destroy();
      Thread.currentThread().interrupt();
    }
  }

  private String call(String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(testEndpoint + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() < 400) return response.body();
      throw new PilothouseException(response.statusCode(), String.valueOf(Json.object(response.body()).get("error")));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new PilothouseException(0, "interrupted");
    }
  }
}
